import type { RouteProgram } from "../routing/route-program.ts";

/** Changes within this time share a load. */
const shortestPauseMs = 400;
/** A project with more loads, or a gateway with more of all projects, waits longer for the next. */
const busy = { withinMs: 60_000, loadsOfProject: 30, loads: 60, pauseMs: 2_000 };

/** When the next load may begin. A project that edits without end makes its own edits wait, and hardly others'. */
export class LoadPace {
  #endedMs = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  /** The last minute's. */
  #loads: { readonly endedMs: number; readonly projects: ReadonlySet<string> }[] = [];

  /** @param changed programs that the next load is for */
  dueAtMs(changed: Iterable<RouteProgram>): number {
    const projects = projectsOf(changed);
    const isWaiting =
      this.#loads.length > busy.loads ||
      (projects.size > 0 && [...projects].every((project) => this.#loadsOf(project) > busy.loadsOfProject));
    // Of a processor that each load takes whole, something is left for the requests.
    const pauseMs = isWaiting ? Math.max(busy.pauseMs, 2 * this.#tookMs) : shortestPauseMs;
    return this.#endedMs + pauseMs;
  }

  note(changed: Iterable<RouteProgram>, startedMs: number, endedMs: number): void {
    const recent = this.#loads.filter((load) => load.endedMs > endedMs - busy.withinMs);
    this.#loads = [...recent, { endedMs, projects: projectsOf(changed) }];
    this.#endedMs = endedMs;
    this.#tookMs = endedMs - startedMs;
  }

  #loadsOf(project: string): number {
    return this.#loads.filter(({ projects }) => projects.has(project)).length;
  }
}

function projectsOf(programs: Iterable<RouteProgram>): Set<string> {
  return new Set([...programs].map(({ plane }) => plane.uid));
}
