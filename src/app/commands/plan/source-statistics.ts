import { hash } from "node:crypto";
import type { Label, SampleBuffer, Series } from "../../../exporter/series/series.ts";

/** What a source selects in a span of time. Counts are lower bounds where `isPartial`. */
export interface SourceSummary {
  readonly series: number;
  readonly samples: number;
  /** The metrics with the most series. */
  readonly metrics: readonly { readonly name: string; readonly series: number }[];
  /** The labels with the most values. */
  readonly labels: readonly { readonly name: string; readonly values: number }[];
  readonly isPartial: boolean;
}

/** Metrics, and labels. */
const shown = 10;
/** Each costs about a hundred bytes. */
const maxSeries = 500_000;
const maxLabels = 1_000;
/** Of one label, and of all labels together. */
const maxValues = 50_000;
const maxAllValues = 500_000;
const keptExamples = 3;

/** Counts a source's series while they are read, in bounded memory. */
export class SourceStatistics {
  /** The label sets of the first series. */
  readonly examples: (readonly Label[])[] = [];
  /** Most series come again as the same object. */
  readonly #known = new WeakSet<Series>();
  readonly #series = new Set<string>();
  readonly #metrics = new Map<string, number>();
  readonly #values = new Map<string, Set<string>>();
  #allValues = 0;
  #samples = 0;
  #isPartial = false;

  add(series: Series, samples: SampleBuffer): void {
    this.#samples += samples.length;
    if (this.#known.has(series)) return;
    this.#known.add(series);
    const { labels } = series;
    const key = hash("md5", labels.map(({ name, value }) => `${name}\xff${value}`).join("\xfe"), "base64");
    if (this.#series.has(key)) return;
    if (this.#series.size >= maxSeries) {
      this.#isPartial = true;
      return;
    }
    this.#series.add(key);
    if (this.examples.length < keptExamples) this.examples.push(labels);
    for (const label of labels) {
      if (label.name !== "__name__") this.#addValue(label);
      else this.#metrics.set(label.value, (this.#metrics.get(label.value) ?? 0) + 1);
    }
  }

  #addValue({ name, value }: Label): void {
    let values = this.#values.get(name);
    if (values === undefined) {
      if (this.#values.size >= maxLabels) return;
      values = new Set();
      this.#values.set(name, values);
    }
    if (values.has(value)) return;
    if (values.size >= maxValues || this.#allValues >= maxAllValues) {
      this.#isPartial = true;
      return;
    }
    this.#allValues++;
    values.add(value);
  }

  summary(): SourceSummary {
    return {
      series: this.#series.size,
      samples: this.#samples,
      metrics: largest(
        [...this.#metrics].map(([name, series]) => ({ name, series })),
        ({ series }) => series,
      ),
      labels: largest(
        [...this.#values].map(([name, { size }]) => ({ name, values: size })),
        ({ values }) => values,
      ),
      isPartial: this.#isPartial,
    };
  }
}

function largest<T extends { readonly name: string }>(list: readonly T[], countOf: (each: T) => number): T[] {
  return list.toSorted((a, b) => countOf(b) - countOf(a) || (a.name < b.name ? -1 : 1)).slice(0, shown);
}
