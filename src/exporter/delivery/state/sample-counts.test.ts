import { expect, test } from "vitest";
import { bufferOf, samplesIn } from "../../../../test/support/store/series.ts";
import { SampleCounts, stepEnd } from "./sample-counts.ts";

const stepMs = 100;

function counted(...series: readonly string[]): string[] {
  const counts = new SampleCounts(stepMs);
  for (const samples of series) counts.add(bufferOf(samplesIn(samples)));
  return counts.list().map((step) => `${step.endMs}: ${step.samples}, ${step.staleMarkers} stale`);
}

test.each([
  [0, 0],
  [1, 100],
  [99, 100],
  [100, 100],
  [101, 200],
  [1_700_000_000_000, 1_700_000_000_000],
  [1_700_000_000_001, 1_700_000_000_100],
])("the step of %i ms ends at %i ms", (ms, endMs) => {
  expect(stepEnd(ms, stepMs)).toBe(endMs);
});

test("a step holds its end, not its start", () => {
  expect(counted("100=1 101=1 199=1 200=1 201=1 500=1")).toEqual([
    ...["100: 1, 0 stale", "200: 3, 0 stale", "300: 1, 0 stale", "500: 1, 0 stale"],
  ]);
});

test("series add up, samples of equal times count each, and a buffer's old samples do not count", () => {
  const counts = new SampleCounts(stepMs);
  const buffer = bufferOf(samplesIn("100=1 100=2 150=NaN"));
  counts.add(buffer);
  buffer.length = 2;
  counts.add(buffer);
  buffer.length = 0;
  counts.add(buffer);
  expect(counts.list()).toEqual([
    { endMs: 100, samples: 4, staleMarkers: 0 },
    { endMs: 200, samples: 1, staleMarkers: 1 },
  ]);
});

test("staleness markers are samples, and counted beside them; another NaN's sample is none", () => {
  const other = bufferOf([[100, 1]]);
  other.setBits(0, 0x7ff80000, 1);
  const counts = new SampleCounts(stepMs);
  counts.add(other);
  expect(counts.list()).toEqual([{ endMs: 100, samples: 1, staleMarkers: 0 }]);
  expect(counted("100=NaN 200=1 200=NaN", "101=NaN")).toEqual(["100: 1, 1 stale", "200: 3, 2 stale"]);
});

test("without samples there is nothing", () => {
  expect(counted("")).toEqual([]);
});
