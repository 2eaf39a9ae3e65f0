import type { Clock } from "./clock.ts";

/**
 * Calls `work` with a signal that aborts as soon as one of the given ones does, with its reason.
 *
 * `AbortSignal.any` does the same and leaves something with each of them for as long as it lives (Node.js 20: fifty bytes for each
 * call, a kilobyte where a listener stays): nothing for signals that live as long as the daemon.
 */
export async function withEither<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const abort = () => either.abort(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    return await work(either.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener("abort", abort);
  }
}

/** Waits for `ms`, or until one of the signals aborts; never rejects. */
export async function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  await withEither(signals, (either) => clock.sleep(ms, either)).catch(() => undefined);
}

/**
 * Calls `work` with a signal that aborts when `signal` does, and when `limitMs` are over.
 *
 * @param reasonOf makes the reason of the latter: a `TimeoutError`, as `AbortSignal.timeout` has it, unless told otherwise
 */
export async function withLimit<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (limited: AbortSignal) => Promise<T>,
  reasonOf: () => Error = () => new DOMException("The operation was aborted due to timeout", "TimeoutError"),
): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(reasonOf()), limitMs).unref();
  try {
    return await withEither([signal, limit.signal], work);
  } finally {
    clearTimeout(timer);
  }
}
