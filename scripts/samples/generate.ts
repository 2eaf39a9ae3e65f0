import type { Label } from "../../src/exporter/series/series.ts";

/** Number of series, and the values that distinguish them. */
export interface SeriesPlan {
  readonly count: number;
  /** Labels per series, including the name; at least 3. */
  readonly labels: number;
  /** The `job` label of all series, for use in a selector. */
  readonly job: string;
}

/**
 * Label sets like a real target's: a few metric names, many pods, shared and unique labels. The same plan
 * always gives the same series.
 */
export function makeLabels(plan: SeriesPlan): Label[][] {
  const series: Label[][] = [];
  for (let index = 0; index < plan.count; index++) {
    const labels: Label[] = [
      { name: "__name__", value: `demo_metric_${index % 40}_total` },
      { name: "job", value: plan.job },
      { name: "pod", value: `web-${Math.floor(index / 40)}` },
    ];
    for (let extra = labels.length; extra < plan.labels; extra++) {
      labels.push({ name: `label_${extra}`, value: `value ${extra}-${index % (extra + 2)}` });
    }
    series.push(labels);
  }
  return series;
}

/**
 * Value of series number `index` at a time: counters, gauges with two decimals and an occasional infinity.
 * All of them survive VictoriaMetrics' decimal storage (see `WrittenSeries`).
 */
export function valueAt(index: number, timestampMs: number): number {
  const second = Math.floor(timestampMs / 1000);
  if (index % 500 === 499 && second % 7 === 0) return index % 1000 === 999 ? Infinity : -Infinity;
  if (index % 2 === 0) return index + (second % 1_000_000) * 3;
  // Never -0, which VictoriaMetrics stores as 0.
  return (Math.round(Math.sin(second / 10 + index) * 10_000) || 0) / 100;
}
