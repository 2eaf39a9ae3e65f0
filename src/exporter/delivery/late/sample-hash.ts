import type { SampleBuffer } from "../../series/series.ts";

/**
 * Calls `visit` with a 64-bit hash (two unsigned halves) of each sample from `start` up to, not including,
 * `end`. The hash combines the series' hash and the time. Two times of one series never have the same hash:
 * each step maps the time's low 32 bits one to one.
 */
export function eachSampleHash(
  seriesHigh: number,
  seriesLow: number,
  samples: SampleBuffer,
  start: number,
  end: number,
  visit: (high: number, low: number, index: number) => void,
): void {
  for (let index = start; index < end; index++) {
    const ms = samples.timestampsMs[index] ?? 0;
    const timeLow = ms >>> 0;
    const timeHigh = Math.floor(ms / 2 ** 32);
    visit(mixed(seriesHigh ^ Math.imul(timeLow, 0x9e3779b1) ^ timeHigh), mixed(seriesLow ^ timeLow), index);
  }
}

/** The finalizer of MurmurHash3: one to one on 32 bits. */
function mixed(value: number): number {
  let hash = value >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
