import { setTimeout as delay } from "node:timers/promises";

/**
 * Waits until a condition holds; a rejection counts as "not yet". The limit is generous, since a busy machine
 * is no failure and a successful wait is not slowed by it.
 */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  limitMs = 120_000,
): Promise<void> {
  const begunMs = performance.now();
  let last: unknown;
  while (performance.now() < begunMs + limitMs) {
    try {
      if (await condition()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    // What takes seconds is asked less often: requests that only wait are work for the machine, too.
    await delay(Math.min(100, Math.max(20, (performance.now() - begunMs) / 20)));
  }
  throw new Error(`waited ${limitMs / 1000} s in vain until ${what}`, { cause: last });
}
