/** Changes within this time share a load. */
const shortestPauseMs = 400;
/** A gateway that loads all the time rests longer: loads cost all tenants processor time. */
const busyLoads = { count: 30, withinMs: 60_000, pauseMs: 2_000 };
/** A project that had no load for so long does not wait for the rest after those of others. */
const rareAfterMs = 3_000;
/** As long as loads take no larger part of the time than this. */
const largestPart = 0.5;

/**
 * When the next load may begin. Loads take a third of the time at most, except for projects that seldom need
 * one: they do not wait until those that edit all the time have had theirs.
 */
export class LoadPace {
  /** Those of the last minute. */
  #loads: { readonly endedMs: number; readonly forMs: number }[] = [];
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  /** When a load last had a change of a project, by its uid. */
  readonly #lastOf = new Map<string, number>();

  /** @param projects whose changes the load had, by uid */
  note(startedMs: number, endedMs: number, projects: Iterable<string>): void {
    const forMs = endedMs - startedMs;
    this.#loads = [...this.#loads, { endedMs, forMs }].filter(
      (load) => load.endedMs > endedMs - busyLoads.withinMs,
    );
    const pauseMs = Math.max(shortestPauseMs, 2 * forMs);
    this.#restsUntilMs =
      endedMs + (this.#loads.length > busyLoads.count ? Math.max(pauseMs, busyLoads.pauseMs) : pauseMs);
    for (const [uid, atMs] of this.#lastOf) if (atMs <= endedMs - rareAfterMs) this.#lastOf.delete(uid);
    for (const uid of projects) this.#lastOf.set(uid, endedMs);
  }

  /** When the next load may begin, at most. @param projects whose changes wait for it */
  dueAtMs(projects: readonly string[]): number {
    const last = this.#loads.at(-1);
    const takenMs = this.#loads.reduce((sum, { forMs }) => sum + forMs, 0);
    if (last === undefined || takenMs > largestPart * busyLoads.withinMs) return this.#restsUntilMs;
    const rareAtMs = projects.map((uid) => (this.#lastOf.get(uid) ?? Number.NEGATIVE_INFINITY) + rareAfterMs);
    return Math.min(this.#restsUntilMs, Math.max(last.endedMs + shortestPauseMs, Math.min(...rareAtMs)));
  }
}
