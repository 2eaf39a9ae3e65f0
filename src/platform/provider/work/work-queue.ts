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
  work(queue: string, key: string, signal: AbortSignal): Promise<number | undefined>;
  /** Called with what `work` threw, and after how many ms it is tried again. */
  onFailure(queue: string, key: string, error: unknown, retryMs: number): void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

interface Item {
  readonly queue: string;
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
 * Items to work on, each at most once at a time, in queues: a long queue never holds up another,
 * which always finds a place (see {@link FairSemaphore}).
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #places: FairSemaphore;
  readonly #items = new Map<string, Item>();
  /** Items to start, by queue, in turn order; no queue is empty. */
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
  add(queue: string, key: string): void {
    const item = this.#itemOf(queue, key);
    if (item.state === "running") item.state = "again";
    else if (item.state === "idle" || item.state === "delayed") {
      this.#enqueue(item);
      this.#startNext();
    }
  }

  /** Forgets the items of a queue; those that run are finished. */
  removeQueue(queue: string): void {
    this.#waiting.delete(queue);
    for (const [id, item] of this.#items) {
      if (item.queue !== queue) continue;
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

  #itemOf(queue: string, key: string): Item {
    const id = `${queue} ${key}`;
    let item = this.#items.get(id);
    if (item === undefined) {
      item = { queue, key, state: "idle", dueMs: 0, failures: 0 };
      this.#items.set(id, item);
    }
    return item;
  }

  #enqueue(item: Item): void {
    this.#delayed.delete(item);
    item.state = "waiting";
    const queue = this.#waiting.get(item.queue);
    if (queue === undefined) this.#waiting.set(item.queue, new Set([item]));
    else queue.add(item);
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
    // A queue that had its turn moves to the end, where this loop reaches it again.
    for (const [queue, items] of this.#waiting) {
      if (this.#places.free === 0) return;
      const [item] = items;
      if (item === undefined || !this.#places.tryAcquire(queue)) continue;
      items.delete(item);
      this.#waiting.delete(queue);
      if (items.size > 0) this.#waiting.set(queue, items);
      const stop = new AbortController();
      const running: Promise<void> = this.#work(item, stop.signal).finally(() => {
        this.#running.delete(running);
        this.#places.release(queue);
        this.#startNext();
      });
      this.#running.set(running, stop);
    }
  }

  async #work(item: Item, signal: AbortSignal): Promise<void> {
    const { work, onFailure, clock, random } = this.#options;
    const { queue, key } = item;
    item.state = "running";
    let againMs: number | undefined;
    // A change has cut the pause short: how long the trouble lasts, it does not say.
    const isEarly = item.failures > 0 && clock.monotonicMs() < item.dueMs;
    try {
      againMs = await withLimit(signal, limitMs, (limited) => work(queue, key, limited));
      item.failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (!isEarly) item.failures++;
      againMs = Math.min(retry.maxMs, nextDelay(item.failures, retry, random()));
      onFailure(queue, key, error, againMs);
    }
    this.#settle(item, againMs);
  }

  #settle(item: Item, againMs: number | undefined): void {
    const id = `${item.queue} ${item.key}`;
    if (this.#items.get(id) !== item) return;
    // `add` may have changed the state while the item ran.
    const state = item.state as Item["state"];
    if (state === "again") this.#enqueue(item);
    else if (againMs !== undefined) this.#delay(item, againMs);
    else this.#items.delete(id);
  }
}
