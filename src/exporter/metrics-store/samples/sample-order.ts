import type { SampleBuffer } from "../../series/series.ts";

export function isInOrder({ length, timestampsMs }: SampleBuffer): boolean {
  for (let index = 1; index < length; index++) {
    if ((timestampsMs[index - 1] as number) > (timestampsMs[index] as number)) return false;
  }
  return true;
}

/** Sorts the samples by time; equal times keep their order. Bits are moved as bits: see SampleBuffer. */
export function sortByTime(samples: SampleBuffer): void {
  const { length, timestampsMs, valueBytes } = samples;
  const order = Array.from({ length }, (_, index) => index);
  const times = timestampsMs.slice(0, length);
  const bits = Buffer.from(valueBytes.subarray(0, length * 8));
  order.sort((a, b) => (times[a] as number) - (times[b] as number));
  order.forEach((from, to) => {
    timestampsMs[to] = times[from] as number;
    bits.copy(valueBytes, to * 8, from * 8, from * 8 + 8);
  });
}

/**
 * Keeps the samples (in time order) after `fromMs` and up to `toMs`.
 *
 * @returns the number of dropped samples
 */
export function trimToWindow(samples: SampleBuffer, fromMs: number, toMs: number): number {
  const { length, timestampsMs, valueBytes } = samples;
  let first = 0;
  while (first < length && (timestampsMs[first] as number) <= fromMs) first++;
  let end = length;
  while (end > first && (timestampsMs[end - 1] as number) > toMs) end--;
  if (first > 0) {
    timestampsMs.copyWithin(0, first, end);
    valueBytes.copyWithin(0, first * 8, end * 8);
  }
  samples.length = end - first;
  return length - samples.length;
}
