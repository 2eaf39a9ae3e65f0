import fc from "fast-check";
import { expect, test } from "vitest";
import {
  anyHistograms,
  anyLayout,
  histogramBuffer,
  messagesOf,
} from "../../../test/support/store/histograms.ts";
import { EncodedHistograms } from "./encoded-histograms.ts";
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

test("a copied histogram differs in its time alone", () => {
  const any = fc
    .constantFrom("integer" as const, "float" as const)
    .chain((kind) => anyLayout.chain((layout) => fc.tuple(fc.constant(layout), anyHistograms(layout, kind))));
  const anyTime = fc.constantFrom(0, 1, -1, 1_760_000_000_000);
  fc.assert(
    fc.property(any, anyTime, ([layout, list], timestampMs) => {
      const from = histogramBuffer(layout, list);
      const to = new SampleBuffer(new EncodedHistograms());
      list.forEach((_, index) => {
        to.append(from, index, timestampMs);
      });
      const expected = histogramBuffer(
        layout,
        list.map((one) => ({ ...one, timestampMs })),
      );
      expect(messagesOf(to)).toEqual(messagesOf(expected));
      expect(to.timestampsMs.subarray(0, to.length)).toEqual(expected.timestampsMs.subarray(0, to.length));
      for (let index = 0; index < to.length; index++) {
        expect(to.hasCustomBuckets(index)).toBe(from.hasCustomBuckets(index));
        expect(to.isStale(index)).toBe(from.isStale(index));
      }
    }),
    { numRuns: 30 },
  );
});
