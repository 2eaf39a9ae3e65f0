import type { Window } from "../ports/window.ts";

/** The evaluation points of an expression: from the first to the last, one step (ms) apart. */
export interface Grid {
  readonly firstMs: number;
  readonly lastMs: number;
  readonly stepMs: number;
}

/**
 * The multiples of the step (since the Unix epoch) in a window, or undefined if it has none. Each point is in
 * exactly one of consecutive windows, however they are split.
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

/** Splits a grid after at most `points` points. @returns the beginning, and the rest */
export function splitGrid(grid: Grid, points: number): readonly [Grid, Grid | undefined] {
  if (pointsOf(grid) <= points) return [grid, undefined];
  const lastMs = grid.firstMs + (points - 1) * grid.stepMs;
  return [
    { ...grid, lastMs },
    { ...grid, firstMs: lastMs + grid.stepMs },
  ];
}
