import { onAbort } from "./on-abort.ts";

/** Time as an argument: the daemon passes the system clock, tests pass a simulated one and never wait. */
export interface Clock {
  /** Wall-clock time in ms since the Unix epoch. May jump in either direction. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; never jumps. For ages and deadlines. */
  monotonicMs(): number;
  /** Resolves after `ms`; rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep,
};

/** setTimeout takes a signed 32-bit number of ms; anything longer would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

/** Waits for `ms`. @throws the signal's reason if it aborts first */
export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  for (let restMs = ms; restMs > 0; restMs -= longestTimerMs) {
    await delay(Math.min(restMs, longestTimerMs), signal);
  }
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      forget();
      resolve();
    }, ms);
    const forget = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}
