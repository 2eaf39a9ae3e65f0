import { expect, test } from "vitest";
import { plainEncoder, plainShape } from "../../../../test/support/receiver/encoded.ts";
import { seriesOf } from "../../../../test/support/store/series.ts";
import { ruleOf } from "../../relabel/check-rule.ts";
import { type SeriesForm, seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { MetricNames } from "./metric-names.ts";

function sent(labels: Readonly<Record<string, string>>): SeriesForm {
  return plainEncoder.encode(seriesOf(labels));
}

function namesOf(list: readonly SeriesForm[]): string[] {
  const names = new MetricNames();
  for (const form of list) names.add(form);
  return Array.from(names.entries(), ([name]) => name);
}

test.each([
  [
    "each counts once",
    [{ __name__: "up" }, { __name__: "up" }, { __name__: "go" }, { __name__: "up" }],
    ["up", "go"],
  ],
  [
    "among labels before and after it",
    [
      { Zone: "__name__", __a: "b".repeat(300), __name__: "up", job: "x" },
      { __name__: "down", zone: "y" },
    ],
    ["up", "down"],
  ],
  ["any characters", [{ __name__: "a.b" }, { __name__: "ключ" }], ["a.b", "ключ"]],
  ["a long one", [{ __name__: "x".repeat(1_024) }], ["x".repeat(1_024)]],
  ["a very long one is left out", [{ __name__: "x".repeat(1_025) }, { __name__: "up" }], ["up"]],
  ["a series without one is not sent", [{ job: "__name__" }], []],
])("names: %s", (_, labels, expected) => {
  expect(namesOf(labels.map((each) => sent(each as Record<string, string>)))).toEqual(expected);
});

test("a renamed metric is known by both names, whatever other sinks make of the series", () => {
  const rules = [ruleOf({ sourceLabels: ["__name__"], targetLabel: "__name__", replacement: "app_$1" })];
  const series = seriesOf("up");
  const names = new MetricNames();
  plainEncoder.encode(series);
  names.add(seriesEncoderFor({ ...plainShape, relabel: rules }).encode(series));
  expect([...names.entries()]).toEqual([["app_up", "up"]]);
});

test("names beyond 10,000 are left out", () => {
  expect(namesOf(Array.from({ length: 10_010 }, (_, index) => sent({ __name__: `n${index}` })))).toHaveLength(
    10_000,
  );
});
