import type { Window } from "../window.ts";

/** The points at which an expression is evaluated: from the first to the last, one step (ms) apart. */
export interface Grid {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly stepMs: number;
}

/**
 * The multiples of the step (since the Unix epoch) in a window; undefined when there is none. So each point is in
 * exactly one of the windows that follow one another, wherever they are cut.
 */
export function gridOf({ fromMs, toMs }: Window, stepMs: number): Grid | undefined {
  if (!Number.isSafeInteger(stepMs) || stepMs < 1) throw new RangeError(`${stepMs} ms is no step`);
  const firstMs = (Math.floor(fromMs / stepMs) + 1) * stepMs;
  const lastMs = Math.floor(toMs / stepMs) * stepMs;
  return firstMs > lastMs ? undefined : { firstMs, lastMs, stepMs };
}

export function pointsOf({ firstMs, lastMs, stepMs }: Grid): number {
  return (lastMs - firstMs) / stepMs + 1;
}

/** The beginning of a grid, of so many points at most, and what is left after it. */
export function splitGrid(grid: Grid, points: number): readonly [Grid, Grid | undefined] {
  if (pointsOf(grid) <= points) return [grid, undefined];
  const lastMs = grid.firstMs + (points - 1) * grid.stepMs;
  return [
    { ...grid, lastMs },
    { ...grid, firstMs: lastMs + grid.stepMs },
  ];
}
