import type { Logger } from "pino";
import type { Clock } from "./clock.ts";
import { describeError } from "./errors.ts";
import { pause } from "./signals.ts";

const woken = "woken";

/** Ends the pause of a loop from outside. */
export class Wakeup {
  #event = new AbortController();

  /** Ends the current pause; during a tick, the one that follows it. */
  readonly wake = (): void => {
    // The default reason is an error with a stack trace: dear for what is called at every change.
    if (!this.#event.signal.aborted) this.#event.abort(woken);
  };

  /** The signal of the next call of `wake`: earlier calls are forgotten. */
  next(): AbortSignal {
    if (this.#event.signal.aborted) this.#event = new AbortController();
    return this.#event.signal;
  }
}

export interface LoopOptions {
  readonly clock: Clock;
  readonly pauseAfterErrorMs: number;
  /** Called with what a tick threw; the loop continues. */
  readonly onError: (error: unknown) => void;
  /** Ends every pause early, also one after an error. */
  readonly wakeup?: Wakeup;
  /** Pause between a wake-up and the tick, for wake-ups that come in bursts. Default 0. */
  readonly settleMs?: number;
}

/**
 * The only loop primitive: calls `tick` until the signal aborts, each time after the pause (ms) that the last
 * tick returned. Never rejects: a loop ends only with its daemon.
 */
export async function runLoop(
  tick: (signal: AbortSignal) => number | Promise<number>,
  options: LoopOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, pauseAfterErrorMs, onError, wakeup = new Wakeup(), settleMs = 0 } = options;
  while (!signal.aborted) {
    const woken = wakeup.next();
    let pauseMs: number;
    try {
      pauseMs = await tick(signal);
    } catch (error) {
      if (signal.aborted) return;
      onError(error);
      pauseMs = pauseAfterErrorMs;
    }
    await pause(clock, pauseMs, [signal, woken]);
    if (woken.aborted) await pause(clock, settleMs, [signal]);
  }
}

/** For loops whose ticks throw only for a fault of telemetryd itself. */
export function logErrors(loop: string, log: Logger): LoopOptions["onError"] {
  return (error) => log.error({ loop, error: describeError(error) }, "a loop failed; it will run again");
}
