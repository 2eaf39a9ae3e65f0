import { expect, test } from "vitest";
import { Series } from "../../series/series.ts";
import { MetricNames } from "./metric-names.ts";

const named = (value: string) => new Series([{ name: "__name__", value }]);

test("each name counts once; series without a name, or with a very long one, have none", () => {
  const names = new MetricNames();
  const series = ["up", "go_info", "up", "x".repeat(1_025)].map(named);
  for (const one of [...series, new Series([{ name: "job", value: "x" }])]) names.add(one);
  expect([...names.values()]).toEqual(["up", "go_info"]);
});

test("names beyond 10,000 are left out", () => {
  const names = new MetricNames();
  for (let index = 0; index < 10_010; index++) names.add(named(`name_${index}`));
  expect([...names.values()]).toHaveLength(10_000);
});
