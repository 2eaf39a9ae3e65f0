import { smallestBatch } from "../equality/policy.ts";

/** As in the configuration of the daemon under test. */
export const lanes = 4;
export const maxAttempts = 3;
/** The shortest `retry.backoffDuration` that an edit sets (`equality/policy.ts`), in ms. */
const shortestBackoffMs = 200;

/**
 * Requests that every window adds, whatever its number of series: its first request, alone, and a last one
 * per lane.
 */
const begun = 1 + lanes;

/** A receiver's requests during one trouble. */
export interface TroubleCount {
  readonly kind: string;
  readonly lengthMs: number;
  /** Requests that failed. */
  readonly failed: number;
  /** Requests that succeeded after the first failed one. */
  readonly passed: number;
  /**
   * Starts of the daemon and edits after the first failed request; each makes a sink in trouble try at once.
   */
  readonly wakes: number;
}

/**
 * The number of requests that may fail while a receiver is in trouble. Requests in flight, one per lane, are
 * tried as often as the policy says; then the sink pauses and probes, each probe with as many attempts, and
 * the pauses double. A successful request or a wake restarts the sequence.
 */
export function failuresAllowed({ kind, lengthMs, passed, wakes }: TroubleCount): number {
  // A rejected login is not retried, and the sink is suspended for longer than this trouble lasts.
  if (kind === wrongPassword) return lanes * (1 + wakes);
  return maxAttempts * (lanes * (1 + passed + wakes) + probesWithin(lengthMs));
}

/** The trouble between a password change at the receiver and that of the Secret. */
export const wrongPassword = "wrong password";

/**
 * The number of probes that fit into a time: the k-th comes after k pauses (b, 2b, 4b, …) and two backoffs
 * for each earlier probe.
 */
export function probesWithin(lengthMs: number): number {
  let atMs = 0;
  for (let probes = 0; ; probes++) {
    atMs += shortestBackoffMs * (2 ** probes + (probes > 0 ? maxAttempts - 1 : 0));
    if (atMs > lengthMs) return probes;
  }
}

export interface DeliveryCount {
  /** Number of ticks written, and of samples in each. */
  readonly ticks: number;
  readonly samplesOfTick: number;
  /** Starts of the daemon and edits during a transfer, and troubles with a failed request. */
  readonly cuts: number;
  /** Reads that were delayed or cut by the store's proxy. */
  readonly disturbedReads: number;
}

/**
 * The number of requests that a receiver may get. Each tick is a window: full requests, one for the window's
 * start and one per lane. A cut window costs as much again for its remainder, plus one request in doubt per
 * lane. A disturbed read also costs a remainder, but no requests in doubt: the samples read are sent, and the
 * rest is read again.
 */
export function answersAllowed({ ticks, samplesOfTick, cuts, disturbedReads }: DeliveryCount): number {
  const ofTick = begun + Math.floor(samplesOfTick / smallestBatch);
  return ticks * ofTick + cuts * (begun + lanes) + disturbedReads * begun;
}
