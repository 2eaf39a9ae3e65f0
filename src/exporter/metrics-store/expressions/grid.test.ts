import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Grid, gridOf, pointsOf, splitGrid } from "./grid.ts";

function times(grid: Grid | undefined): number[] {
  if (grid === undefined) return [];
  return Array.from({ length: pointsOf(grid) }, (_, index) => grid.firstMs + index * grid.stepMs);
}

describe("the grid points after the start and up to the end of a window", () => {
  test.each([
    [0, 30_000, 15_000, [15_000, 30_000]],
    [-1, 30_000, 15_000, [0, 15_000, 30_000]],
    [15_000, 29_999, 15_000, []],
    [14_999, 15_000, 15_000, [15_000]],
    [15_000, 15_000, 15_000, []],
    [1, 4, 1, [2, 3, 4]],
    [-30_000, 0, 15_000, [-15_000, 0]],
  ])("(%i, %i] every %i ms", (fromMs, toMs, stepMs, expected) => {
    expect(times(gridOf({ fromMs, toMs }, stepMs))).toEqual(expected);
  });

  test.each([0, -1, 0.5, Number.NaN])("%d is no step", (stepMs) => {
    expect(() => gridOf({ fromMs: 0, toMs: 1 }, stepMs)).toThrow(RangeError);
  });
});

test("windows that follow one another have the points of the whole, each once", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 2 ** 41 }), { minLength: 2, maxLength: 8 }),
      fc.integer({ min: 2 ** 33, max: 2 ** 39 }),
      (cuts, stepMs) => {
        const bounds = cuts.toSorted((a, b) => a - b);
        const parts = bounds
          .slice(1)
          .flatMap((toMs, index) => times(gridOf({ fromMs: bounds[index]!, toMs }, stepMs)));
        expect(parts).toEqual(times(gridOf({ fromMs: bounds[0]!, toMs: bounds.at(-1)! }, stepMs)));
      },
    ),
  );
});

test("a grid is split without losing a point", () => {
  const grid = { firstMs: 15, lastMs: 75, stepMs: 15 };
  for (let points = 1; points <= 6; points++) {
    const [first, rest] = splitGrid(grid, points);
    expect(times(first)).toHaveLength(Math.min(points, 5));
    expect([...times(first), ...times(rest)]).toEqual([15, 30, 45, 60, 75]);
  }
});
