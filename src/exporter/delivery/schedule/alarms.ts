import type { Clock } from "../../../base/core/clock.ts";

/** Woken by an alarm; must not throw. */
export interface Sleeper {
  wake(): void;
}

/** A scheduled wake-up. */
export class Alarm {
  readonly dueAtMs: number;
  #sleeper: Sleeper | undefined;

  /** @param dueAtMs monotonic */
  constructor(dueAtMs: number, sleeper: Sleeper) {
    this.dueAtMs = dueAtMs;
    this.#sleeper = sleeper;
  }

  ring(): void {
    this.#sleeper?.wake();
  }

  /** Cancels the alarm. Its heap slot is freed at its due time. */
  cancel(): void {
    this.#sleeper = undefined;
  }
}

/**
 * Wakes many sleepers with a single timer. A sleep per sink would need a promise, a timer and an abort signal
 * each, and sinks sleep nearly all the time (bench/small-policies.ts).
 */
export class Alarms {
  readonly #clock: Clock;
  /** A binary heap: no alarm is due before its parent, at half its index (counted from 1). */
  readonly #heap: Alarm[] = [];
  #sleep = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rings once, `ms` from now or slightly later, while {@link run} runs. */
  set(ms: number, sleeper: Sleeper): Alarm {
    const alarm = new Alarm(this.#clock.monotonicMs() + ms, sleeper);
    this.#push(alarm);
    // It is now the first: the current sleep is too long.
    if (this.#heap[0] === alarm) this.#sleep.abort();
    return alarm;
  }

  /** Rings due alarms until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const stop = () => this.#sleep.abort();
    signal.addEventListener("abort", stop);
    while (!signal.aborted) {
      for (let due = this.#takeDue(); due !== undefined; due = this.#takeDue()) due.ring();
      this.#sleep = new AbortController();
      const restMs = (this.#heap[0]?.dueAtMs ?? Infinity) - this.#clock.monotonicMs();
      await this.#clock.sleep(Math.max(1, restMs), this.#sleep.signal).catch(() => undefined);
    }
    signal.removeEventListener("abort", stop);
  }

  #takeDue(): Alarm | undefined {
    const first = this.#heap[0];
    if (first === undefined || first.dueAtMs > this.#clock.monotonicMs()) return undefined;
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
    return first;
  }

  #push(alarm: Alarm): void {
    let place = this.#heap.push(alarm) - 1;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      const above = this.#heap[parent];
      if (above === undefined || above.dueAtMs <= alarm.dueAtMs) break;
      this.#heap[place] = above;
      place = parent;
    }
    this.#heap[place] = alarm;
  }

  /** Replaces the first alarm, and restores the heap. */
  #sink(alarm: Alarm): void {
    let place = 0;
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      const isRight = left !== undefined && right !== undefined && right.dueAtMs < left.dueAtMs;
      const below = isRight ? right : left;
      if (below === undefined || below.dueAtMs >= alarm.dueAtMs) break;
      this.#heap[place] = below;
      place = 2 * place + (isRight ? 2 : 1);
    }
    this.#heap[place] = alarm;
  }
}
