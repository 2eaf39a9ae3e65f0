import { smallestBatch } from "../equality/policy.ts";

/** As the daemon under test is configured. */
export const lanes = 4;
export const maxAttempts = 3;
/** The shortest `retry.backoffDuration` that an edit sets (`equality/policy.ts`), in ms. */
const shortestBackoffMs = 200;

/**
 * What a window costs that takes any number of series: its first request, alone, and a last one in each lane.
 */
const begun = 1 + lanes;

/** What happened to one receiver while one thing was wrong with it. */
export interface TroubleCount {
  readonly kind: string;
  readonly lengthMs: number;
  /** Requests that failed. */
  readonly failed: number;
  /** Requests that got through all the same, after the first one had failed. */
  readonly passed: number;
  /**
   * Starts of the daemon, and edits, which have a sink in trouble try at once; after the first request had
   * failed.
   */
  readonly wakes: number;
}

/**
 * How many requests may fail while a receiver is in trouble. What is in flight, one request in each lane, is
 * tried as often as the policy says; then the sink pauses and probes, each probe with as many attempts, and
 * the pauses double. A request that gets through, or a wake, begins that anew.
 */
export function failuresAllowed({ kind, lengthMs, passed, wakes }: TroubleCount): number {
  // A refused login is not repeated, and the sink is suspended for longer than that lasts.
  if (kind === wrongPassword) return lanes * (1 + wakes);
  return maxAttempts * (lanes * (1 + passed + wakes) + probesWithin(lengthMs));
}

/** Between the change of a password at the receiver and the one of the Secret. */
export const wrongPassword = "wrong password";

/**
 * How many probes fit into a time: the k-th comes after k pauses (b, 2b, 4b, …) and two backoffs for each
 * probe before it.
 */
export function probesWithin(lengthMs: number): number {
  let atMs = 0;
  for (let probes = 0; ; probes++) {
    atMs += shortestBackoffMs * (2 ** probes + (probes > 0 ? maxAttempts - 1 : 0));
    if (atMs > lengthMs) return probes;
  }
}

export interface DeliveryCount {
  /** How often samples were written, and how many at once. */
  readonly ticks: number;
  readonly samplesOfTick: number;
  /**
   * Starts of the daemon and edits while something was being sent, and troubles in which a request failed.
   */
  readonly cuts: number;
  /** Reads that the store delayed or broke off. */
  readonly disturbedReads: number;
}

/**
 * How many requests the receiver may have to respond. Each tick is a window: full requests, and one for the
 * window's beginning and each lane. What cuts a window short costs as much again for its rest, and before
 * that a request in each lane whose response is not known. So does a read that is disturbed, without the
 * latter: what had been read is sent, and the rest is read again.
 */
export function answersAllowed({ ticks, samplesOfTick, cuts, disturbedReads }: DeliveryCount): number {
  const ofTick = begun + Math.floor(samplesOfTick / smallestBatch);
  return ticks * ofTick + cuts * (begun + lanes) + disturbedReads * begun;
}
