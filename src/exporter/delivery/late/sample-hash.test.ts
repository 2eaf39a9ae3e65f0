import fc from "fast-check";
import { expect, test } from "vitest";
import { SampleBuffer } from "../../series/series.ts";
import { eachSampleHash } from "./sample-hash.ts";

function hashes(high: number, low: number, timesMs: readonly number[]): string[] {
  const samples = new SampleBuffer();
  samples.reserve(timesMs.length);
  samples.length = timesMs.length;
  samples.timestampsMs.set(timesMs);
  const found: string[] = [];
  eachSampleHash(high, low, samples, 0, samples.length, (sampleHigh, sampleLow) =>
    found.push(`${sampleHigh}/${sampleLow}`),
  );
  return found;
}

const word = fc.integer({ min: 0, max: 0xffffffff });
const nearNow = fc.integer({ min: 1_760_000_000_000, max: 1_760_000_000_000 + 2 ** 31 });

test("different times of one series never have the same hash, and the same time always does", () => {
  fc.assert(
    fc.property(word, word, fc.uniqueArray(nearNow, { maxLength: 200 }), (high, low, times) => {
      const found = hashes(high, low, times);
      expect(new Set(found).size).toBe(times.length);
      expect(hashes(high, low, times)).toEqual(found);
    }),
  );
});

test("the same time of many series on a grid: no hash twice", () => {
  const found = new Set<string>();
  const times = Array.from({ length: 100 }, (_, index) => 1_760_000_000_000 + index * 15_000);
  for (let series = 0; series < 1_000; series++) {
    for (const hash of hashes(series * 7_919, series * 104_729, times)) found.add(hash);
  }
  expect(found.size).toBe(100_000);
});
