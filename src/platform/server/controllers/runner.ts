import { randomUUID } from "node:crypto";
import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/core/log.ts";
import { logErrors, runLoop, Wakeup } from "../../../base/core/loop.ts";
import { keyPrefix, type RedisConnection } from "../../../base/redis/connection.ts";
import { type Lease, takeLease } from "../../../base/redis/lease.ts";
import type { AccessDirectory } from "../access/directory.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { type Plane, planeKey } from "../plane.ts";
import { PlaneGoneError, qualifiedPlural, StatusError } from "../status.ts";
import { parseObjectKey, planeKeys } from "../store/keys.ts";
import type { DueWork, ObjectStore } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import type { ChangeFeed } from "../watch/feed.ts";
import { type Controller, done, type Reconciled } from "./controller.ts";
import type { GarbageCollector } from "./garbage-collector.ts";

export interface RunnerOptions {
  readonly redis: RedisConnection;
  readonly store: ObjectStore;
  readonly feed: ChangeFeed;
  readonly directory: AccessDirectory;
  readonly kinds: readonly KindDefinition[];
  readonly controllers: readonly Controller[];
  readonly garbageCollector: GarbageCollector;
  readonly clock: Clock;
  readonly log: Logger;
}

const leaseKeys = {
  lease: `${keyPrefix}:platform:controllers`,
  fence: `${keyPrefix}:platform:controllers:fence`,
};
const leaseMs = 10_000;
/** Interval at which a replica without the lease asks for it. */
const askEveryMs = 3_000;
/** Full scan interval of all planes, for work whose notification was lost. */
const fullScanMs = 30_000;
const idleMs = 500;
const workAtOnce = 100;
const retry = { baseMs: 500, maxMs: 60_000, jitter: 0.2 };

/**
 * Runs the controllers on the replica that holds the lease. The work queue is in Redis, written atomically
 * with the change that caused it: if a replica dies, the next one continues.
 */
export async function runControllers(options: RunnerOptions, signal: AbortSignal): Promise<void> {
  const { redis, store, feed, directory, clock, log } = options;
  const owner = randomUUID();
  const failures = new Map<string, number>();
  const planes = new Map<string, Plane>();
  const pending = new Set<string>();
  let lease: Lease | undefined;
  let askAgainMs = 0;
  let nextScanMs = 0;
  const wakeup = new Wakeup();
  const stopListening = feed.onAnyChange((key) => {
    pending.add(key);
    wakeup.wake();
  });

  const holdsLease = (): boolean => lease?.signal.aborted === false;

  const lead = async (): Promise<void> => {
    if (holdsLease() || clock.monotonicMs() < askAgainMs) return;
    const outcome = await takeLease({ redis, clock, keys: leaseKeys, owner, ttlMs: leaseMs });
    askAgainMs = clock.monotonicMs() + askEveryMs;
    if (outcome.kind !== "taken") return;
    lease = outcome.lease;
    nextScanMs = 0;
  };

  const scan = async (): Promise<void> => {
    planes.clear();
    for (const plane of [...(await directory.listOrganizations()), ...(await directory.listProjects())]) {
      const key = planeKeys(planeKey(plane)).plane;
      planes.set(key, plane);
      pending.add(key);
    }
    nextScanMs = clock.monotonicMs() + fullScanMs;
  };

  const reconcileAll = async (): Promise<void> => {
    await lead();
    if (!holdsLease()) return;
    const isUnknown = [...pending].some((key) => !planes.has(key));
    if (clock.monotonicMs() >= nextScanMs || isUnknown) await scan();
    for (const key of [...pending]) {
      const plane = planes.get(key);
      pending.delete(key);
      if (plane === undefined) continue;
      const due = await store.dueWork(plane, clock.nowMs(), workAtOnce);
      for (const work of due) {
        if (signal.aborted || !holdsLease()) return;
        await workOn(options, failures, plane, work, signal);
      }
      if (due.length > 0 || (await store.hasWork(plane))) pending.add(key);
    }
  };

  try {
    const tick = async (): Promise<number> => {
      try {
        await reconcileAll();
      } catch (error) {
        if (!signal.aborted) log.warn({ error: describeError(error) }, "the controllers' turn failed");
        await clock.sleep(idleMs, signal);
      }
      // A short pause bounds the cost of a burst; each turn takes everything queued meanwhile.
      await clock.sleep(20, signal);
      return idleMs;
    };
    const onError = logErrors("controllers", log);
    await runLoop(tick, { clock, pauseAfterErrorMs: idleMs, onError, wakeup }, signal);
  } finally {
    stopListening();
    await lease?.release();
  }
}

async function workOn(
  options: RunnerOptions,
  failures: Map<string, number>,
  plane: Plane,
  work: DueWork,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log } = options;
  const id = `${planeKey(plane)} ${work.item}`;
  let result: Reconciled;
  try {
    result = await reconcile(options, plane, work.item, signal);
    failures.delete(id);
  } catch (error) {
    if (error instanceof PlaneGoneError || (error instanceof StatusError && error.status.code === 404)) {
      result = done;
    } else {
      const count = (failures.get(id) ?? 0) + 1;
      failures.set(id, count);
      log.warn(
        { work: work.item, plane: planeKey(plane), error: describeError(error) },
        "a controller failed",
      );
      result = { done: false, againMs: nextDelay(count, retry, Math.random()) };
    }
  }
  if (result.done) await store.finishWork(plane, work);
  else await store.addWork(plane, work.item, clock.nowMs() + result.againMs);
}

async function reconcile(
  { kinds, store, controllers, garbageCollector }: RunnerOptions,
  plane: Plane,
  item: string,
  signal: AbortSignal,
): Promise<Reconciled> {
  const [what, subject = ""] = item.split(" ");
  if (what === "owner-gone") return await garbageCollector.ownerGone(plane, subject);
  const { resource, namespace, name } = parseObjectKey(subject);
  const kind = kinds.find((each) => qualifiedPlural(each) === resource);
  const json = await store.get(plane, subject);
  if (kind === undefined || json === undefined) return done;
  const target = { plane, kind, namespace, name };
  const collected = await garbageCollector.reconcile(target, parseStored(json));
  if (!collected.done) return collected;
  const controller = controllers.find((each) => each.kind === kind.kind);
  if (controller === undefined) return done;
  const newest = await store.get(plane, subject);
  return newest === undefined ? done : await controller.reconcile(target, parseStored(newest), signal);
}
