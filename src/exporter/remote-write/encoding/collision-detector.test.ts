import { expect, test } from "vitest";
import { plainShape as plain } from "../../../../test/support/receiver/encoded.ts";
import { seriesOf } from "../../../../test/support/store/series.ts";
import { ruleOf } from "../../relabel/check-rule.ts";
import type { Series } from "../../series/series.ts";
import { CollisionDetector } from "./collision-detector.ts";
import { KnownCollisions } from "./known-collisions.ts";
import { type LabelShape, seriesEncoderFor } from "./labels.ts";

const legacy: LabelShape = { ...plain, names: "legacy" };

/** The outcome of each series, a text a window. */
function claimAll(shape: LabelShape, windows: ReadonlyArray<readonly Series[]>): string[] {
  const encoder = seriesEncoderFor(shape);
  const known = new KnownCollisions();
  return windows.map((list, window) => {
    const detector = new CollisionDetector(encoder, known, window * 60_000);
    const outcomes = list.map((series) => {
      const form = encoder.encode(series);
      if (form.kind !== "series") return form.reason;
      return detector.claim(series, form)?.reason ?? "sent";
    });
    return outcomes.join(" ");
  });
}

test.each<[string, LabelShape, string[], string]>([
  ["names as they are", plain, ["a.b", "a_b", "c"], "sent sent sent"],
  [
    "a name made legal: the one that has it by itself is sent",
    { ...legacy, externalLabels: { t: "1" } },
    ["a.b", "a_b", "c"],
    "name_collision sent sent",
  ],
  ["two names made legal", legacy, ["a.b", "a-b", "a_b"], "name_collision name_collision sent"],
  [
    "names made legal, and labels dropped",
    { ...legacy, dropLabels: ["pod"] },
    ["a.b pod=a", "a_b pod=a", "a_b pod=b"],
    "name_collision name_collision name_collision",
  ],
  [
    "a label dropped",
    { ...plain, dropLabels: ["pod"] },
    ["up", "up pod=a", "up pod=b"],
    "name_collision name_collision name_collision",
  ],
  [
    "an external label's very value",
    { ...plain, externalLabels: { cluster: "a" } },
    ["up", "up cluster=a"],
    "name_collision name_collision",
  ],
  ["another value", { ...plain, externalLabels: { cluster: "a" } }, ["up", "up cluster=b"], "sent sent"],
  ["the same series twice", { ...plain, dropLabels: ["pod"] }, ["up pod=a", "up pod=a"], "sent sent"],
])("%s", (_, shape, texts, expected) => {
  const list = texts.map(seriesOf);
  expect(claimAll(shape, [list, list, list]).at(-1)).toBe(expected);
});

const dropsPod: LabelShape = { ...plain, dropLabels: ["pod"] };
const podA = seriesOf("up pod=a");
const podB = seriesOf("up pod=b");

test("a pair is refused whole from the window after the one in which it met, in whatever order it comes", () => {
  const pair = "name_collision name_collision";
  expect(claimAll(dropsPod, [[podA, podB], [podA, podB], [podB, podA], [podB]])).toEqual([
    "sent name_collision",
    pair,
    pair,
    "name_collision",
  ]);
});

test("a new renamed series never ends an old one, in whatever order they come", () => {
  const [old, renamed] = [seriesOf("a_b"), seriesOf("a.b")];
  const shape: LabelShape = { ...legacy, externalLabels: { order: "1" } };
  // Collisions are looked for from the first renamed series on.
  seriesEncoderFor(shape).encode(seriesOf("x.y"));
  expect(claimAll(shape, [[old], [old, renamed], [renamed, old], [renamed], [old]])).toEqual([
    "sent",
    "sent name_collision",
    "name_collision sent",
    "name_collision",
    "sent",
  ]);
  // It is sent once before the collision shows.
  expect(
    claimAll(shape, [
      [renamed, old],
      [renamed, old],
    ]),
  ).toEqual(["sent sent", "name_collision sent"]);
});

test("one that comes again in a window is refused as soon as the other has come", () => {
  expect(claimAll(dropsPod, [[podA, podA, podB, podA]])).toEqual(["sent sent name_collision name_collision"]);
});

test("an hour after the last meeting, the one that is left is sent again", () => {
  const alone = Array.from({ length: 62 }, () => [podA]);
  const fates = claimAll(dropsPod, [[podA, podB], ...alone]);
  expect(fates.slice(1, 61)).toEqual(Array.from({ length: 60 }, () => "name_collision"));
  expect(fates.slice(61)).toEqual(["sent", "sent"]);
});

test("what is remembered is bounded, and the oldest goes first", () => {
  const known = new KnownCollisions();
  for (let key = 0; key <= 10_000; key++) known.note(key, 0);
  expect([known.has(0, 0), known.has(1, 0), known.has(10_000, 0)]).toEqual([false, true, true]);
});

test("the message names both series", () => {
  const encoder = seriesEncoderFor({ ...plain, dropLabels: ["instance"] });
  const detector = new CollisionDetector(encoder, new KnownCollisions(), 0);
  const [first, second] = [seriesOf("x instance=1"), seriesOf("x instance=2")];
  const messages = [first, second].map((series) => {
    const form = encoder.encode(series);
    return form.kind === "series" ? detector.claim(series, form)?.message : form.message;
  });
  expect(messages).toEqual([
    undefined,
    'two series are equal once their labels are made ready to send: {__name__="x", instance="1"} and {__name__="x", instance="2"}',
  ]);
});

test("relabelled to the same: all are rejected once they were seen together; others never", () => {
  const shape = { ...plain, relabel: [ruleOf({ action: "labeldrop", regex: "pod" })] };
  const [x, y, other, plainOne] = [
    seriesOf("m pod=x"),
    seriesOf("m pod=y"),
    seriesOf("n pod=y"),
    seriesOf("m"),
  ] as const;
  expect(
    claimAll(shape, [
      [other, x, y, plainOne],
      [other, x, y],
    ]),
  ).toEqual(["sent sent name_collision name_collision", "sent name_collision name_collision"]);
});

test("relabelled to the same, one after the other: a renamed pod's series goes on", () => {
  const shape = { ...plain, relabel: [ruleOf({ action: "labeldrop", regex: "pod" })] };
  const [x, y] = [seriesOf("m pod=x"), seriesOf("m pod=y")] as const;
  expect(claimAll(shape, [[x], [y], [y]])).toEqual(["sent", "sent", "sent"]);
});
