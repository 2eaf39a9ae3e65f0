import type { SampleBuffer } from "../../series/series.ts";

/** The index of the first sample later than `untilMs`; 0 when `untilMs` is undefined. */
export function firstAfter(samples: SampleBuffer, untilMs: number | undefined): number {
  if (untilMs === undefined) return 0;
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((samples.timestampsMs[middle] ?? 0) > untilMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Cuts a series' samples from `start` on so that a request of weight `present` (see `SampleBuffer.weight`)
 * weighs at most `most`. Samples of equal time stay together, since the journal records a cut by its time.
 * Returns `start` itself when they do not fit beside the present samples, and all of them when no request
 * could hold them.
 */
export function cutAt(samples: SampleBuffer, start: number, most: number, present: number): number {
  let end = start + countWithin(samples, start, most - present);
  if (end === samples.length) return end;
  const { timestampsMs } = samples;
  while (end > start && timestampsMs[end] === timestampsMs[end - 1]) end--;
  if (end > start || present > 0) return end;
  end = start + 1;
  while (end < samples.length && timestampsMs[end] === timestampsMs[start]) end++;
  return end;
}

/** Number of samples from `start` on that weigh at most `room`. */
function countWithin(samples: SampleBuffer, start: number, room: number): number {
  if (samples.histograms === undefined) return Math.min(room, samples.length - start);
  let index = start;
  for (let left = room; index < samples.length; index++) {
    left -= samples.weight(index, index + 1);
    if (left < 0) break;
  }
  return index - start;
}

/** Copies the samples that are wanted, by their index, in place of those that `to` has. */
export function copySamples(from: SampleBuffer, to: SampleBuffer, wants: (index: number) => boolean): void {
  to.length = 0;
  to.histograms = from.histograms;
  to.followsOtherKind = from.followsOtherKind;
  to.reserve(from.length);
  for (let index = 0; index < from.length; index++) {
    if (!wants(index)) continue;
    to.timestampsMs[to.length] = from.timestampsMs[index] ?? 0;
    from.valueBytes.copy(to.valueBytes, to.length * 8, index * 8, index * 8 + 8);
    to.length++;
  }
}

/** Whether the times, which are in order, hold this one. */
export function isOneOf(timesMs: ArrayLike<number>, ms: number): boolean {
  let low = 0;
  let high = timesMs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = timesMs[middle] ?? 0;
    if (found === ms) return true;
    if (found > ms) high = middle;
    else low = middle + 1;
  }
  return false;
}
