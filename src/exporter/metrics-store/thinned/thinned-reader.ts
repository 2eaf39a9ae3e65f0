import { type Grid, gridOf } from "../expressions/grid.ts";
import { readInPieces } from "../expressions/grid-read.ts";
import type { ReadFailure } from "../ports/sample-reader.ts";
import type { ReadEnd, SampleReceiver, ScopedReader, ThinnedRead } from "../ports/scoped-reader.ts";
import { readFromMs, Thinner } from "./thinner.ts";

/**
 * Thins the raw samples of another reader. It keeps no state: the step before a window is read again, to see
 * which series ended in it. A window without a point is not read.
 */
export class ThinnedReader implements ScopedReader<ThinnedRead> {
  readonly #inner: ScopedReader;

  constructor(inner: ScopedReader) {
    this.#inner = inner;
  }

  async read(read: ThinnedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<ReadEnd> {
    return await readInPieces(gridOf(read.window, read.stepMs), {
      maxPoints: Number.POSITIVE_INFINITY,
      readPiece: (piece) => this.#readPiece(read, piece, receiver, signal),
      isTooLarge: mayBeTooLarge,
    });
  }

  async #readPiece(
    { selector, tenant }: ThinnedRead,
    grid: Grid,
    receiver: SampleReceiver,
    signal: AbortSignal,
  ): Promise<ReadEnd> {
    const totals = { kind: "complete" as const, series: 0, samples: 0 };
    const thinner = new Thinner(grid, (series, samples) => {
      totals.series++;
      totals.samples += samples.length;
      return receiver.onSeries(series, samples);
    });
    const window = { fromMs: readFromMs(grid), toMs: grid.lastMs };
    const ended = await this.#inner.read(
      { kind: "raw", selector, tenant, window, isWhole: true },
      {
        onSeries: (series, samples) => thinner.add(series, samples),
        onBytes: (bytes) => receiver.onBytes(bytes),
        onInvalid: (reason, lines, message) => receiver.onInvalid(reason, lines, message),
        wantsMore: () => receiver.wantsMore(),
      },
      signal,
    );
    if (ended.kind !== "complete") return ended;
    await thinner.end();
    return totals;
  }
}

/** A Prometheus says with 400 that a read exceeds its limits. Nothing was passed on then. */
function mayBeTooLarge({ reason }: ReadFailure): boolean {
  return reason === "answer_too_large" || reason === "bad_request";
}
