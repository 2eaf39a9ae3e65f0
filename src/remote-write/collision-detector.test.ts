import { expect, test } from "vitest";
import { Series } from "../core/series.ts";
import { CollisionDetector } from "./collision-detector.ts";
import { type LabelShape, seriesEncoderFor } from "./labels.ts";

const plain: LabelShape = { externalLabels: {}, dropLabels: [], protocol: "1.0" };

function seriesOf(labels: Record<string, string>): Series {
  return new Series(Object.entries(labels).map(([name, value]) => ({ name, value })));
}

function claimAll(shape: LabelShape, list: readonly Series[]): string[] {
  const encoder = seriesEncoderFor(shape);
  const detector = new CollisionDetector(encoder);
  const encodeAll = () =>
    list.map((series) => {
      const form = encoder.encode(series);
      if (form.kind === "refused") return form.reason;
      return detector.claim(series, form)?.reason ?? "sent";
    });
  for (let window = 0; window < 2; window++) {
    encodeAll();
    detector.reset();
  }
  return encodeAll();
}

test.each<[string, LabelShape, Series[], string[]]>([
  [
    "names made legal",
    { ...plain, externalLabels: { t: "1" } },
    [seriesOf({ __name__: "a.b" }), seriesOf({ __name__: "a_b" }), seriesOf({ __name__: "c" })],
    ["name_collision", "name_collision", "sent"],
  ],
  [
    "a label dropped",
    { ...plain, dropLabels: ["pod"] },
    [
      seriesOf({ __name__: "up" }),
      seriesOf({ __name__: "up", pod: "a" }),
      seriesOf({ __name__: "up", pod: "b" }),
    ],
    ["name_collision", "name_collision", "name_collision"],
  ],
  [
    "an external label's very value",
    { ...plain, externalLabels: { cluster: "a" } },
    [seriesOf({ __name__: "up" }), seriesOf({ __name__: "up", cluster: "a" })],
    ["name_collision", "name_collision"],
  ],
  [
    "another value",
    { ...plain, externalLabels: { cluster: "a" } },
    [seriesOf({ __name__: "up" }), seriesOf({ __name__: "up", cluster: "b" })],
    ["sent", "sent"],
  ],
  [
    "the same series twice",
    { ...plain, dropLabels: ["pod"] },
    [seriesOf({ __name__: "up", pod: "a" }), seriesOf({ __name__: "up", pod: "a" })],
    ["sent", "sent"],
  ],
])("%s", (_, shape, list, expected) => {
  expect(claimAll(shape, list)).toEqual(expected);
});

test("the message names both series", () => {
  const encoder = seriesEncoderFor({ ...plain, dropLabels: ["instance"] });
  const detector = new CollisionDetector(encoder);
  const [first, second] = [
    seriesOf({ __name__: "x", instance: "1" }),
    seriesOf({ __name__: "x", instance: "2" }),
  ];
  const messages = [first, second].map((series) => {
    const form = encoder.encode(series);
    return form.kind === "series" ? detector.claim(series, form)?.message : form.message;
  });
  expect(messages).toEqual([
    undefined,
    'two series are equal once their labels are made ready to send: {__name__="x", instance="1"} and {__name__="x", instance="2"}',
  ]);
});
