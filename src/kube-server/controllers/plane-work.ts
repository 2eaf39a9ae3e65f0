import { nextDelay } from "../../base/core/backoff.ts";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import type { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { Logger } from "../../base/log/log.ts";
import { isSameKind, type KindDefinition } from "../api/kind.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { PlaneGoneError, qualifiedPlural, StatusError } from "../api/status.ts";
import { parseObjectKey } from "../store/keys.ts";
import type { NumberClaims } from "../store/number-claims.ts";
import type { DueWork, ObjectStore, SettledWork } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import { type Controller, done, type Reconciled } from "./controller.ts";
import type { GarbageCollector } from "./garbage-collector.ts";
import type { ControllerMetrics } from "./metrics.ts";
import { parseWorkItem } from "./work-items.ts";

export interface PlaneWorkOptions {
  readonly store: ObjectStore;
  readonly claims: NumberClaims;
  readonly kinds: readonly KindDefinition[];
  readonly controllers: readonly Controller[];
  readonly garbageCollector: GarbageCollector;
  readonly metrics: { readonly controllers: ControllerMetrics };
  readonly clock: Clock;
  readonly log: Logger;
}

const workAtOnce = 100;
/** Objects of one plane that are reconciled at once. */
const workersOfPlane = 4;
/** For each piece of work that is due together, how long an object rests once it is reconciled. */
const restMsPerItem = 10;
const maxRestMs = 500;
const maxRemembered = 20_000;
const retry = { baseMs: 500, maxMs: 60_000, jitter: 0.2 };

/** The controllers' work on one plane. */
export class PlaneWork {
  readonly #options: PlaneWorkOptions;
  readonly #plane: Plane;
  readonly #semaphore: FairSemaphore;
  /** Failures in a row, by work item. */
  readonly #failures = new Map<string, number>();
  /** Until when a finished object rests (monotonic ms), by work item. */
  readonly #resting = new Map<string, number>();
  /**
   * Objects whose owners were there, by key: uid and owners. An owner that goes later causes work of its own
   * (`owner-gone`).
   */
  readonly #owners = new Map<string, string>();
  #running: Promise<void> | undefined;
  /** A run was asked for and has not begun. */
  #isRequested = false;
  #nextMs: number | undefined;

  /** @param semaphore the places of all planes */
  constructor(options: PlaneWorkOptions, plane: Plane, semaphore: FairSemaphore) {
    this.#options = options;
    this.#plane = plane;
    this.#semaphore = semaphore;
  }

  /** Whether work is due that was known at the end of the last run, or was announced while it ended. */
  isDue(nowMs: number): boolean {
    if (this.#isRequested) return true;
    return this.#nextMs !== undefined && this.#nextMs <= nowMs;
  }

  /** Works off what is due, in the background. @param onEnd called when it is */
  start(signal: AbortSignal, onEnd: () => void): void {
    this.#isRequested = true;
    if (this.#running !== undefined) return;
    this.#running = this.#run(signal).finally(() => {
      this.#running = undefined;
      onEnd();
    });
  }

  /** Keeps the pauses of all work when the clock has been set back. */
  async clockSetBack(byMs: number): Promise<void> {
    await this.#options.store.advanceWork(this.#plane, byMs);
  }

  async stopped(): Promise<void> {
    await this.#running;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      while (this.#isRequested && !signal.aborted) {
        this.#isRequested = false;
        for (;;) {
          const due = await store.dueWork(this.#plane, clock.nowMs(), workAtOnce);
          if (due.length === 0 || signal.aborted) break;
          const queue = due.values();
          // The more there is to do, the longer changes gather before an object is looked at again.
          const restMs = Math.min((due.length - 1) * restMsPerItem, maxRestMs);
          const settled: SettledWork[] = [];
          const worker = () => this.#work(queue, restMs, settled, signal);
          await Promise.all(Array.from({ length: workersOfPlane }, worker));
          await store.settleWork(this.#plane, settled);
        }
      }
      this.#forgetRested();
      this.#nextMs = await store.nextWorkMs(this.#plane);
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ plane: planeKey(this.#plane), error: describeError(error) }, "the controllers' turn failed");
      this.#nextMs = clock.nowMs() + retry.baseMs;
    }
  }

  /** One worker: works off what is left in the queue. */
  async #work(
    queue: Iterator<DueWork>,
    restMs: number,
    settled: SettledWork[],
    signal: AbortSignal,
  ): Promise<void> {
    const owner = this.#plane.organization;
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      await this.#semaphore.acquire(owner, signal);
      try {
        // Work that finds all it needs in memory would follow the one before in the same turn.
        await yieldToEventLoop();
        const result = await this.#workOn(next.value, restMs, signal);
        if (result !== undefined) settled.push(result);
      } finally {
        this.#semaphore.release(owner);
      }
    }
  }

  /** @returns undefined if it was interrupted */
  async #workOn(work: DueWork, leastRestMs: number, signal: AbortSignal): Promise<SettledWork | undefined> {
    const { clock, log, metrics } = this.#options;
    const restingMs = (this.#resting.get(work.item) ?? 0) - clock.monotonicMs();
    if (restingMs > 0) return { ...work, againAtMs: clock.nowMs() + restingMs };
    const startMs = performance.now();
    let hasFailed = false;
    let result: Reconciled;
    try {
      result = await this.#reconcile(work.item, signal);
      this.#failures.delete(work.item);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof PlaneGoneError || (error instanceof StatusError && error.status.code === 404)) {
        result = done;
      } else {
        hasFailed = true;
        const count = (this.#failures.get(work.item) ?? 0) + 1;
        this.#failures.set(work.item, count);
        const plane = planeKey(this.#plane);
        log.warn({ work: work.item, plane, error: describeError(error) }, "a controller failed");
        result = { done: false, againMs: nextDelay(count, retry, Math.random()) };
      }
    }
    const outcome = result.done ? "success" : "requeue_after";
    const seconds = (performance.now() - startMs) / 1_000;
    metrics.controllers.reconciled(this.#nameOf(work.item), hasFailed ? "error" : outcome, seconds);
    if (!result.done) return { ...work, againAtMs: clock.nowMs() + result.againMs };
    const restMs = Math.max(result.restMs ?? 0, leastRestMs);
    if (restMs > 0) this.#resting.set(work.item, clock.monotonicMs() + restMs);
    return work;
  }

  /** The controller that works on an item, as metrics name it. */
  #nameOf(item: string): string {
    const { kinds, controllers } = this.#options;
    const work = parseWorkItem(item);
    if (work?.what === "referrers") return "referrers";
    const resource = work?.what === "object" ? parseObjectKey(work.key).resource : undefined;
    const kind = kinds.find((each) => qualifiedPlural(each) === resource);
    const isControlled = kind !== undefined && controllers.some((each) => isSameKind(each.kind, kind));
    return isControlled ? kind.kind.toLowerCase() : "garbagecollector";
  }

  async #reconcile(item: string, signal: AbortSignal): Promise<Reconciled> {
    const { store, claims, clock, garbageCollector } = this.#options;
    const work = parseWorkItem(item);
    switch (work?.what) {
      case undefined:
        return done;
      case "owner-gone":
        await claims.releaseOf(this.#plane, work.uid);
        return await garbageCollector.ownerGone(this.#plane, work.uid);
      case "referrers": {
        const keys = await store.dependents(this.#plane, work.reference);
        await store.addWork(
          this.#plane,
          keys.map((key) => `object ${key}`),
          clock.nowMs(),
        );
        return done;
      }
      case "object":
        return await this.#reconcileObject(work.key, signal);
    }
  }

  async #reconcileObject(key: string, signal: AbortSignal): Promise<Reconciled> {
    const { store, kinds, controllers, garbageCollector } = this.#options;
    const { resource, namespace, name } = parseObjectKey(key);
    const kind = kinds.find((each) => qualifiedPlural(each) === resource);
    let json = await store.get(this.#plane, key);
    if (kind === undefined || json === undefined) return done;
    const target = { plane: this.#plane, kind, namespace, name };
    let object = parseStored(json);
    const { uid = "", deletionTimestamp, ownerReferences = [] } = object.metadata;
    const owners = `${uid} ${JSON.stringify(ownerReferences)}`;
    const areOwnersKnown = ownerReferences.length === 0 || this.#owners.get(key) === owners;
    if (deletionTimestamp !== undefined || !areOwnersKnown) {
      const { result, isUntouched } = await garbageCollector.reconcile(target, object);
      if (!result.done) return result;
      this.#remember(key, owners);
      if (!isUntouched) {
        json = await store.get(this.#plane, key);
        if (json === undefined) return done;
        object = parseStored(json);
      }
    }
    const controller = controllers.find((each) => isSameKind(each.kind, kind));
    return controller === undefined ? done : await controller.reconcile(target, object, signal);
  }

  #remember(key: string, owners: string): void {
    if (this.#owners.size >= maxRemembered) this.#owners.clear();
    this.#owners.set(key, owners);
  }

  #forgetRested(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [item, untilMs] of this.#resting) {
      if (untilMs <= nowMs) this.#resting.delete(item);
    }
  }
}
