import type { Clock } from "../../../base/core/clock.ts";

/** How long what a controller waits for has taken, and when to ask again. */
export interface ProgramWaits {
  /** Counts from the first call for this version on. @returns ms since then */
  waitedMs(gateway: string, version: number): number;
  /** Whether something is waited for. */
  has(gateway: string): boolean;
  forget(gateway: string): void;
}

const leastMs = 250;
const maxRemembered = 20_000;

/**
 * When to ask again whether the gateways have loaded a program: soon at first, then ever less often. They
 * also wake the controller.
 *
 * @param isRunning whether there is a gateway that could load it
 */
export function againAfter(waitedMs: number, isRunning: boolean): number {
  return Math.min(Math.max(leastMs, waitedMs / 2), isRunning ? 5_000 : 300_000);
}

/** Kept in memory: another leader begins to count again. */
export function createProgramWaits(clock: Clock): ProgramWaits {
  const waits = new Map<string, { readonly version: number; readonly sinceMs: number }>();
  return {
    waitedMs(gateway, version) {
      const known = waits.get(gateway);
      if (known?.version === version) return clock.monotonicMs() - known.sinceMs;
      if (waits.size >= maxRemembered) waits.clear();
      waits.set(gateway, { version, sinceMs: clock.monotonicMs() });
      return 0;
    },
    has: (gateway) => waits.has(gateway),
    forget(gateway) {
      waits.delete(gateway);
    },
  };
}
