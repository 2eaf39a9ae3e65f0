import type { Clock } from "./clock.ts";
import { onAbort } from "./on-abort.ts";

/**
 * Calls `work` with a signal that aborts as soon as one of the given signals does, with its reason.
 *
 * `AbortSignal.any` does the same, but in Node.js 20 each call leaks memory into the given signals: unusable
 * with signals that live as long as the daemon.
 */
export async function withEither<T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> {
  const either = new AbortController();
  const abort = () => either.abort(signals.find(({ aborted }) => aborted)?.reason);
  const forgetting = signals.map((signal) => onAbort(signal, abort));
  if (signals.some(({ aborted }) => aborted)) abort();
  try {
    return await work(either.signal);
  } finally {
    for (const forget of forgetting) forget();
  }
}

/** Waits for `ms`, or until one of the signals aborts; never rejects. */
export async function pause(clock: Clock, ms: number, signals: readonly AbortSignal[]): Promise<void> {
  await withEither(signals, (either) => clock.sleep(ms, either)).catch(() => undefined);
}

/**
 * Calls `work` with a signal that aborts when `signal` does, and after `limitMs`.
 *
 * @param reasonOf makes the reason of a timeout; by default a `TimeoutError`, as with `AbortSignal.timeout`
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

/** Resolves when the signal aborts, at once if it has; never rejects. */
export function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else onAbort(signal, () => resolve(undefined));
  });
}

/** Whether work ends within the limit, well or not; otherwise it continues. */
export async function endsWithin(work: Promise<unknown>, limitMs: number, clock: Clock): Promise<boolean> {
  const limit = new AbortController();
  const ended = work.then(
    () => true,
    () => true,
  );
  const isInTime = await Promise.race([ended, pause(clock, limitMs, [limit.signal]).then(() => false)]);
  limit.abort();
  return isInTime;
}
