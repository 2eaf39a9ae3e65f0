import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { FairSemaphore } from "../../../base/core/fair-semaphore.ts";
import { logErrors, runLoop, Wakeup } from "../../../base/core/loop.ts";
import { withLimit } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";

export interface WorkQueueOptions {
  /** Items worked on at once. */
  readonly places: number;
  /**
   * Works on an item. The same item never runs twice at once.
   *
   * @returns after how many ms to work on it again; undefined: when it is added again
   * @throws anything, to try again after a growing pause
   */
  work(lane: string, key: string, signal: AbortSignal): Promise<number | undefined>;
  /** Called with what `work` threw, and after how many ms it is tried again. */
  onFailure(lane: string, key: string, error: unknown, retryMs: number): void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

interface Item {
  readonly lane: string;
  readonly key: string;
  /** `again`: it runs, and has been added since. */
  state: "idle" | "waiting" | "delayed" | "running" | "again";
  dueMs: number;
  /** Failures in a row, without those before the pause after another was over. */
  failures: number;
}

const retry = { baseMs: 1_000, maxMs: 300_000, jitter: 0.2 };
/** Items that are due within this time are started together. */
const settleMs = 20;
/** Longest time to work on one item. */
const limitMs = 600_000;

/**
 * Items to work on, each at most once at a time, by lanes: a lane with a long queue never holds up another,
 * which always finds a place (see {@link FairSemaphore}).
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #places: FairSemaphore;
  readonly #items = new Map<string, Item>();
  /** Items to start, by lane, in turn order; no lane is empty. */
  readonly #waiting = new Map<string, Set<Item>>();
  readonly #delayed = new Set<Item>();
  /** Each with a signal of its own: Node.js slows down with the number of listeners on a shared one. */
  readonly #running = new Map<Promise<void>, AbortController>();
  readonly #wakeup = new Wakeup();
  #signal: AbortSignal | undefined;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#places = new FairSemaphore(options.places, "half");
  }

  snapshot(): { readonly waiting: number; readonly running: number; readonly failing: number } {
    let [waiting, failing] = [0, 0];
    for (const { size } of this.#waiting.values()) waiting += size;
    for (const { failures } of this.#items.values()) if (failures > 0) failing++;
    return { waiting, running: this.#running.size, failing };
  }

  /** Adds an item, to be worked on at once. One that waits already stays where it is. */
  add(lane: string, key: string): void {
    const item = this.#itemOf(lane, key);
    if (item.state === "running") item.state = "again";
    else if (item.state === "idle" || item.state === "delayed") {
      this.#enqueue(item);
      this.#startNext();
    }
  }

  /** Forgets the items of a lane; those that run are finished. */
  removeLane(lane: string): void {
    this.#waiting.delete(lane);
    for (const [id, item] of this.#items) {
      if (item.lane !== lane) continue;
      this.#delayed.delete(item);
      this.#items.delete(id);
      if (item.state === "again") item.state = "running";
    }
  }

  /** Works until the signal aborts; returns when nothing runs. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    this.#signal = signal;
    this.#startNext();
    const onError = logErrors("provider work", log);
    const tick = () => this.#startDue();
    const loop = { clock, pauseAfterErrorMs: 1_000, onError, wakeup: this.#wakeup, settleMs };
    await runLoop(tick, loop, signal);
    for (const stop of this.#running.values()) stop.abort(signal.reason);
    await Promise.all(this.#running.keys());
  }

  #itemOf(lane: string, key: string): Item {
    const id = `${lane} ${key}`;
    let item = this.#items.get(id);
    if (item === undefined) {
      item = { lane, key, state: "idle", dueMs: 0, failures: 0 };
      this.#items.set(id, item);
    }
    return item;
  }

  #enqueue(item: Item): void {
    this.#delayed.delete(item);
    item.state = "waiting";
    const lane = this.#waiting.get(item.lane);
    if (lane === undefined) this.#waiting.set(item.lane, new Set([item]));
    else lane.add(item);
  }

  #delay(item: Item, ms: number): void {
    item.state = "delayed";
    item.dueMs = this.#options.clock.monotonicMs() + ms;
    this.#delayed.add(item);
    this.#wakeup.wake();
  }

  /** @returns ms until the next item is due */
  #startDue(): number {
    const nowMs = this.#options.clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    for (const item of this.#delayed) {
      if (item.dueMs <= nowMs) this.#enqueue(item);
      else nextMs = Math.min(nextMs, item.dueMs - nowMs);
    }
    this.#startNext();
    return nextMs;
  }

  #startNext(): void {
    const signal = this.#signal;
    if (signal === undefined || signal.aborted) return;
    // A lane that had its turn moves to the end, where this loop reaches it again.
    for (const [lane, items] of this.#waiting) {
      if (this.#places.free === 0) return;
      const [item] = items;
      if (item === undefined || !this.#places.tryAcquire(lane)) continue;
      items.delete(item);
      this.#waiting.delete(lane);
      if (items.size > 0) this.#waiting.set(lane, items);
      const stop = new AbortController();
      const running: Promise<void> = this.#work(item, stop.signal).finally(() => {
        this.#running.delete(running);
        this.#places.release(lane);
        this.#startNext();
      });
      this.#running.set(running, stop);
    }
  }

  async #work(item: Item, signal: AbortSignal): Promise<void> {
    const { work, onFailure, clock, random } = this.#options;
    const { lane, key } = item;
    item.state = "running";
    let againMs: number | undefined;
    // A change has cut the pause short: how long the trouble lasts, it does not say.
    const isEarly = item.failures > 0 && clock.monotonicMs() < item.dueMs;
    try {
      againMs = await withLimit(signal, limitMs, (limited) => work(lane, key, limited));
      item.failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isEarly) item.failures++;
      againMs = Math.min(retry.maxMs, nextDelay(item.failures, retry, random()));
      onFailure(lane, key, error, againMs);
    }
    this.#settle(item, againMs);
  }

  #settle(item: Item, againMs: number | undefined): void {
    const id = `${item.lane} ${item.key}`;
    if (this.#items.get(id) !== item) return;
    // `add` may have changed the state while the item ran.
    const state = item.state as Item["state"];
    if (state === "again") this.#enqueue(item);
    else if (againMs !== undefined) this.#delay(item, againMs);
    else this.#items.delete(id);
  }
}
