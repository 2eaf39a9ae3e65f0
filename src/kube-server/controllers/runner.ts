import { randomUUID } from "node:crypto";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { logErrors, runLoop, Wakeup } from "../../base/core/loop.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { type Lease, takeLease } from "../../base/redis/lease.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { planeKey } from "../api/plane.ts";
import { planeKeys } from "../store/keys.ts";
import type { ChangeFeed } from "../watch/feed.ts";
import { PlaneWork, type PlaneWorkOptions } from "./plane-work.ts";

export interface RunnerOptions extends PlaneWorkOptions {
  readonly redis: RedisConnection;
  readonly feed: ChangeFeed;
  readonly directory: AccessDirectory;
}

const leaseKeys = {
  lease: `${keyPrefix}:platform:controllers`,
  fence: `${keyPrefix}:platform:controllers:fence`,
};
const leaseMs = 10_000;
/** The clock is set back if it loses this much. */
const leastSetBackMs = 1_000;
/** Interval at which a replica without the lease asks for it. */
const askEveryMs = 3_000;
/** Full scan interval of all planes, for work whose notification was lost. */
const fullScanMs = 30_000;
const idleMs = 500;
/** Objects reconciled at once, of all planes. */
const workers = 16;

/**
 * Runs the controllers on the replica that holds the lease. The work queue is in Redis, written atomically
 * with the change that caused it: if a replica dies, the next one continues. Planes are worked on side by
 * side, so that a busy or slow one delays no other.
 */
export async function runControllers(options: RunnerOptions, signal: AbortSignal): Promise<void> {
  const { redis, feed, directory, clock, log } = options;
  const owner = randomUUID();
  const planes = new Map<string, PlaneWork>();
  const pending = new Set<string>();
  const semaphore = new FairSemaphore(workers, "all-but-one");
  let lease: Lease | undefined;
  /** Aborts with the lease. Made once for each lease: `AbortSignal.any` leaves something behind. */
  let leading = signal;
  let clockOffsetMs = clock.nowMs() - clock.monotonicMs();
  let askAgainMs = 0;
  let nextScanMs = 0;
  const wakeup = new Wakeup();
  const stopListening = feed.onAnyChange((key) => {
    pending.add(key);
    wakeup.wake();
  });

  const lead = async (): Promise<Lease | undefined> => {
    if (lease !== undefined && !lease.signal.aborted) return lease;
    if (clock.monotonicMs() < askAgainMs) return undefined;
    const outcome = await takeLease({ redis, clock, keys: leaseKeys, owner, ttlMs: leaseMs });
    askAgainMs = clock.monotonicMs() + askEveryMs;
    if (outcome.kind !== "taken") return undefined;
    lease = outcome.lease;
    leading = AbortSignal.any([signal, lease.signal]);
    nextScanMs = 0;
    return lease;
  };

  const scan = async (): Promise<void> => {
    const found = new Set<string>();
    for (const plane of [...(await directory.listOrganizations()), ...(await directory.listProjects())]) {
      const key = planeKeys(planeKey(plane)).plane;
      found.add(key);
      if (!planes.has(key)) planes.set(key, new PlaneWork(options, plane, semaphore));
      pending.add(key);
    }
    for (const key of planes.keys()) {
      if (!found.has(key)) planes.delete(key);
    }
    semaphore.forgetIdle();
    nextScanMs = clock.monotonicMs() + fullScanMs;
  };

  /** Work is due by the clock: what waits when it is set back would wait for as much longer. */
  const followClock = async (): Promise<void> => {
    const offsetMs = clock.nowMs() - clock.monotonicMs();
    const setBackMs = clockOffsetMs - offsetMs;
    if (setBackMs > leastSetBackMs) {
      for (const [key, plane] of planes) {
        await plane.clockSetBack(setBackMs);
        pending.add(key);
      }
    }
    if (setBackMs > leastSetBackMs || setBackMs < 0) clockOffsetMs = offsetMs;
  };

  const tick = async (): Promise<number> => {
    const held = await lead();
    if (held === undefined) return idleMs;
    await followClock();
    const isUnknown = [...pending].some((key) => !planes.has(key));
    if (clock.monotonicMs() >= nextScanMs || isUnknown) await scan();
    for (const [key, plane] of planes) {
      if (pending.has(key) || plane.isDue(clock.nowMs())) plane.start(leading, () => wakeup.wake());
    }
    pending.clear();
    // A short pause bounds the cost of a burst; each turn takes everything queued meanwhile.
    await clock.sleep(20, signal);
    return idleMs;
  };
  const onError = logErrors("controllers", log);
  try {
    await runLoop(tick, { clock, pauseAfterErrorMs: idleMs, onError, wakeup }, signal);
  } finally {
    stopListening();
    await Promise.all([...planes.values()].map((plane) => plane.stopped()));
    await lease?.release();
  }
}
