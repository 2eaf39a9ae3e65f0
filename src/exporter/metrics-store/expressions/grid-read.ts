import type { ReadFailure } from "../client/read-failure.ts";
import type { ReadEnd } from "../ports/scoped-reader.ts";
import { type Grid, pointsOf, splitGrid } from "./grid.ts";

export interface GridReadOptions {
  /** Points of a piece, at most; halved when one is too large. */
  readonly maxPoints: number;
  readPiece(piece: Grid): Promise<ReadEnd>;
  /** Whether fewer points may help. Nothing of the piece was passed on then. */
  isTooLarge(failure: ReadFailure): boolean;
}

/** Reads a grid piece by piece, in order. @param grid undefined: there is nothing to read */
export async function readInPieces(
  grid: Grid | undefined,
  { maxPoints, readPiece, isTooLarge }: GridReadOptions,
): Promise<ReadEnd> {
  let points = maxPoints;
  let series = 0;
  let samples = 0;
  let rest = grid;
  while (rest !== undefined) {
    const [piece, after]: readonly [Grid, Grid | undefined] = splitGrid(rest, points);
    const ended = await readPiece(piece);
    if (ended.kind === "failed" && isTooLarge(ended) && pointsOf(piece) > 1) {
      points = Math.ceil(pointsOf(piece) / 2);
      continue;
    }
    if (ended.kind !== "complete") return ended;
    series += ended.series;
    samples += ended.samples;
    rest = after;
  }
  return { kind: "complete", series, samples };
}
