import { expect, test } from "vitest";
import { bytesOf } from "./label-blocks.ts";
import { SampleBuffer, Series } from "./series.ts";

test("growing keeps the bits of a stale marker", () => {
  const samples = new SampleBuffer();
  samples.setStale(0);
  samples.values[1] = -0;
  samples.reserve(1_000);
  expect(samples.values.length).toBeGreaterThanOrEqual(1_000);
  expect(samples.valueBytes.subarray(0, 8).toString("hex")).toBe("020000000000f07f");
  expect(Object.is(samples.values[1], -0)).toBe(true);
});

test("a label is found by its name", () => {
  const series = new Series([{ name: "__name__", value: "up" }]);
  expect([series.label("__name__"), series.label("job")]).toEqual(["up", undefined]);
});

test("the first form is the series itself", () => {
  const series = new Series([{ name: "__name__", value: "up" }]);
  expect(series.isEncoded).toBe(false);
  const block = Buffer.from("labels");
  series.keepForm(3, series.keepEncoded(block, -1, 2));
  block.fill(0);
  expect(series.form(3)).toBe(series);
  expect(bytesOf(series).toString()).toBe("labels");
  expect(series).toMatchObject({ kind: "series", isEncoded: true, hashHigh: -1, hashLow: 2 });
});

test("a form is kept for each shape, and may be replaced", () => {
  const series = new Series([]);
  series.keepForm(2, "second");
  series.keepForm(0, "zeroth");
  expect([series.form(0), series.form(1), series.form(2)]).toEqual(["zeroth", undefined, "second"]);
  series.keepForm(2, "again");
  series.keepForm(0, undefined);
  expect([series.form(0), series.form(2)]).toEqual([undefined, "again"]);
});
