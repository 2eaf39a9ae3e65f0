import type { Series } from "../../series/series.ts";

/** Further names are left out. */
const maxNames = 10_000;
/** Series with a longer name are left out. */
const maxNameLength = 1_024;

/** The distinct metric names of the series that one cycle reads, at most 10,000. */
export class MetricNames {
  readonly #names = new Set<string>();

  /** Parses the series' labels, which the reader may not keep: only for the windows that need it. */
  add(series: Series): void {
    if (this.#names.size >= maxNames) return;
    const name = series.labels.find((label) => label.name === "__name__")?.value;
    if (name !== undefined && name.length <= maxNameLength) this.#names.add(name);
  }

  values(): Iterable<string> {
    return this.#names;
  }
}
