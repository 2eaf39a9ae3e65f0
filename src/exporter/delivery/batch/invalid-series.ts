import type { InvalidSeries } from "../../remote-write/encoding/labels.ts";

/** Series that no request may carry, for one reason. */
export interface InvalidSeriesCount {
  readonly reason: InvalidSeries["reason"];
  /** About the first of them. */
  readonly message: string;
  readonly series: number;
  readonly samples: number;
}

/** Counts a window's invalid series by reason: a source may have any number of them. */
export class InvalidSeriesCounter {
  readonly #counts = new Map<InvalidSeries["reason"], InvalidSeriesCount>();

  add({ reason, message }: InvalidSeries, samples: number): void {
    const before = this.#counts.get(reason) ?? { reason, message, series: 0, samples: 0 };
    this.#counts.set(reason, { ...before, series: before.series + 1, samples: before.samples + samples });
  }

  /** Returns the counts, and starts again at zero. */
  take(): readonly InvalidSeriesCount[] {
    const counts = [...this.#counts.values()];
    this.#counts.clear();
    return counts;
  }
}
