import type { Clock } from "../../../src/base/core/clock.ts";
import { StoreClock } from "../../../src/exporter/metrics-store/client/store-clock.ts";
import type { SampleCounter } from "../../../src/exporter/metrics-store/ports/sample-counter.ts";
import type { ReadOutcome, SampleReader } from "../../../src/exporter/metrics-store/ports/sample-reader.ts";
import type { Series } from "../../../src/exporter/series/series.ts";
import { bufferOf, seriesOf } from "./series.ts";

/** One sample of the series `{__name__="NAME"}`, matched by the selector `NAME`. */
export interface StoredSample {
  readonly name: string;
  readonly ms: number;
  readonly value: number;
}

/**
 * A metrics store in memory, for tests of its consumers. The test sets its clock, which is reported in Date
 * headers.
 */
export class SampleStore implements SampleReader, SampleCounter {
  readonly samples: StoredSample[] = [];
  /** Outcomes of the next reads that are not complete. */
  readonly failures: ReadOutcome[] = [];
  /** Number of requests for counts. */
  counts = 0;
  readonly #wallMs: () => number;
  readonly #clock: StoreClock;
  readonly #series = new Map<string, Series>();

  /** @param wallMs the store's wall clock; `clock` is the daemon's */
  constructor(wallMs: () => number, clock: Clock) {
    this.#wallMs = wallMs;
    this.#clock = new StoreClock(clock);
  }

  /** `count` samples of each series, one every `everyMs`, the last one at `lastMs`. */
  write(names: readonly string[], count: number, lastMs: number, everyMs = 1_000): void {
    for (let index = count - 1; index >= 0; index--) {
      for (const name of names) {
        this.samples.push({ name, ms: lastMs - index * everyMs, value: this.samples.length });
      }
    }
  }

  probe(): Promise<undefined> {
    this.#clock.observe(new Date(this.#wallMs()).toUTCString());
    return Promise.resolve(undefined);
  }

  storeNowMs(): number | undefined {
    return this.#clock.nowMs();
  }

  read: SampleReader["read"] = async ({ selector, window }, consumer) => {
    await this.probe();
    const failure = this.failures.shift();
    if (failure !== undefined) return failure;
    const names = selector.split("|");
    let samples = 0;
    for (const name of names) {
      const found = this.samples.filter(
        (sample) => sample.name === name && sample.ms > window.fromMs && sample.ms <= window.toMs,
      );
      if (found.length === 0) continue;
      found.sort((a, b) => a.ms - b.ms);
      samples += found.length;
      consumer.onSeries(this.#seriesOf(name), bufferOf(found.map(({ ms, value }) => [ms, value])));
    }
    return { kind: "complete", series: names.length, samples, bytes: 0, durationMs: 1, invalidLines: 0 };
  };

  count: SampleCounter["count"] = async ({ selector, window, stepMs, of }) => {
    this.counts++;
    if (of === "staleMarkers") return { kind: "unsupported" };
    const counts = new Array<number>((window.toMs - window.fromMs) / stepMs).fill(0);
    for (const { name, ms } of this.samples) {
      if (!selector.split("|").includes(name) || ms <= window.fromMs || ms > window.toMs) continue;
      const step = Math.ceil((ms - window.fromMs) / stepMs) - 1;
      counts[step] = (counts[step] ?? 0) + 1;
    }
    return { kind: "counts", counts, startedMs: Infinity };
  };

  #seriesOf(name: string): Series {
    const series = this.#series.get(name) ?? seriesOf(name);
    this.#series.set(name, series);
    return series;
  }
}
