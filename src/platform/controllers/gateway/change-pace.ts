import type { Clock } from "../../../base/core/clock.ts";

/**
 * How often each project may have the gateways load its changes. Every load replaces HAProxy's worker, and an
 * old one ends when too many wait for their last requests: a project that edits without end would cut the
 * WebSockets of all others.
 */
export interface ChangePace {
  /**
   * Asks for a change of this project's proxies. Those that come close together are one.
   *
   * @returns ms until it may be made; 0: now
   */
  take(project: string): number;
}

/** Changes that follow each other at once, and how long one more takes to become possible. */
const burst = 20;
const everyMs = 10_000;
/** What comes within this time is loaded together. */
const togetherMs = 500;
const maxRemembered = 10_000;

interface Pace {
  /** When all changes will be possible again. */
  fullAtMs: number;
  togetherUntilMs: number;
}

/** Kept in memory: another leader begins to count again. */
export function createChangePace(clock: Clock): ChangePace {
  const paces = new Map<string, Pace>();
  const forgetIdle = (nowMs: number): void => {
    for (const [project, { fullAtMs }] of paces) if (fullAtMs <= nowMs) paces.delete(project);
    // Starting over is better than growing without end.
    if (paces.size >= maxRemembered) paces.clear();
  };
  return {
    take(project) {
      const nowMs = clock.monotonicMs();
      const known = paces.get(project);
      if (known !== undefined && nowMs < known.togetherUntilMs) return 0;
      const fullAtMs = Math.max(known?.fullAtMs ?? nowMs, nowMs) + everyMs;
      const waitMs = fullAtMs - burst * everyMs - nowMs;
      if (waitMs > 0) return waitMs;
      if (known === undefined && paces.size >= maxRemembered) forgetIdle(nowMs);
      paces.set(project, { fullAtMs, togetherUntilMs: nowMs + togetherMs });
      return 0;
    },
  };
}
