import { EncodedHistograms } from "../../series/encoded-histograms.ts";
import { SampleBuffer, type Series } from "../../series/series.ts";
import type { Grid } from "../expressions/grid.ts";
import type { SampleReceiver } from "../ports/scoped-reader.ts";
import { forgetResets } from "../prometheus/read-histograms.ts";

/**
 * Thins samples to at most one for each point of a grid: the last one of the step that ends there, with the
 * point's time. That is `last_over_time(selector[step])` of a store whose ranges exclude their start, as
 * VictoriaMetrics' and those of Prometheus 3 do, with every bit of the value, and with native histograms.
 *
 * A series that has ended, by a staleness marker, gets one at the first point whose step has no value. A step
 * without any sample means nothing: some series are scraped less often than once in a step.
 *
 * The samples are those after {@link readFromMs} and up to the last point: with the step before the first
 * one, any division of time into grids gives the same points and markers. Those of a series have to be added
 * one after another.
 */
export class Thinner {
  readonly #grid: Grid;
  readonly #onSeries: SampleReceiver["onSeries"];
  #series: Series | undefined;
  /** The point of the last step with samples. */
  #pointMs = Number.NaN;
  /** The last value of that step, if it has one. */
  readonly #value = new HeldSample();
  /** The staleness marker with which that step ends, if it does. */
  readonly #marker = new HeldSample();
  /** The point that has a marker unless it has a value. */
  #markerMs = Number.NaN;
  /** The series' points that were not passed on yet: of numbers or of histograms. */
  #numbers = new SampleBuffer();
  #histograms = new SampleBuffer(new EncodedHistograms());
  #points = this.#numbers;
  #hasPassed = false;
  /** Resolves when the receiver has used everything that was passed on. */
  #waiting: Promise<void> | undefined;

  constructor(grid: Grid, onSeries: SampleReceiver["onSeries"]) {
    this.#grid = grid;
    this.#onSeries = onSeries;
  }

  /**
   * Adds samples of one series, in time order.
   *
   * @returns a promise where nothing may be added before it resolves
   */
  add(series: Series, samples: SampleBuffer): Promise<void> | undefined {
    if (series !== this.#series) {
      this.#endSeries();
      this.#series = series;
    }
    const { stepMs } = this.#grid;
    const { timestampsMs, length } = samples;
    for (let start = 0; start < length; ) {
      const pointMs = Math.ceil((timestampsMs[start] as number) / stepMs) * stepMs;
      let end = start + 1;
      while (end < length && (timestampsMs[end] as number) <= pointMs) end++;
      if (pointMs !== this.#pointMs) {
        this.#closeStep();
        this.#putMarkerBefore(pointMs);
        this.#pointMs = pointMs;
      }
      this.#take(samples, start, end);
      start = end;
    }
    return this.#takeWaiting();
  }

  /** Call after the last sample of all. */
  end(): Promise<void> | undefined {
    this.#endSeries();
    return this.#takeWaiting();
  }

  #takeWaiting(): Promise<void> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #endSeries(): void {
    this.#closeStep();
    this.#putMarkerBefore(Number.POSITIVE_INFINITY);
    this.#pass();
    this.#series = undefined;
    this.#pointMs = Number.NaN;
    this.#hasPassed = false;
  }

  /** The samples from `start` up to, not including, `end` belong to the present step. */
  #take(samples: SampleBuffer, start: number, end: number): void {
    const last = end - 1;
    if (samples.isStale(last)) this.#marker.hold(samples, last);
    else this.#marker.clear();
    let value = last;
    while (value >= start && samples.isStale(value)) value--;
    if (value >= start) this.#value.hold(samples, value);
  }

  #closeStep(): void {
    if (Number.isNaN(this.#pointMs)) return;
    const pointMs = this.#pointMs;
    if (this.#value.isHeld) {
      this.#put(this.#value, pointMs);
      if (this.#marker.isHeld) this.#markerMs = pointMs + this.#grid.stepMs;
    } else {
      this.#put(this.#marker, pointMs);
    }
    this.#value.clear();
  }

  /** @param endMs the point of the next step with samples */
  #putMarkerBefore(endMs: number): void {
    if (this.#markerMs < endMs) this.#put(this.#marker, this.#markerMs);
    this.#markerMs = Number.NaN;
  }

  #put({ samples }: HeldSample, pointMs: number): void {
    const { firstMs, lastMs } = this.#grid;
    if (pointMs < firstMs || pointMs > lastMs) return;
    if (this.#points.length > 0 && this.#points.kind(0) !== samples.kind(0)) this.#pass();
    const to = samples.histograms === undefined ? this.#numbers : this.#histograms;
    this.#points = to;
    to.append(samples, 0, pointMs);
  }

  /** Passes on points of one kind. */
  #pass(): void {
    const [series, points] = [this.#series, this.#points];
    if (series === undefined || points.length === 0) return;
    // They compare with histograms that may have been left out.
    if (points.histograms !== undefined) forgetResets(points);
    points.followsOtherKind = this.#hasPassed;
    this.#hasPassed = true;
    const pass = (): Promise<void> | undefined => this.#onSeries(series, points);
    this.#waiting = this.#waiting === undefined ? pass() : this.#waiting.then(pass);
    if (this.#waiting === undefined) {
      points.length = 0;
      points.histograms?.clear();
      return;
    }
    // They stay as they are until the receiver has used them.
    if (points.histograms === undefined) this.#numbers = new SampleBuffer();
    else this.#histograms = new SampleBuffer(new EncodedHistograms());
    this.#points = this.#numbers;
  }
}

/** Samples after this time are needed for the points of a grid. */
export function readFromMs({ firstMs, stepMs }: Grid): number {
  return firstMs - 2 * stepMs;
}

/** A copy of one sample, or none. */
class HeldSample {
  samples = new SampleBuffer();
  readonly #numbers = this.samples;
  readonly #histograms = new SampleBuffer(new EncodedHistograms());

  get isHeld(): boolean {
    return this.samples.length > 0;
  }

  hold(samples: SampleBuffer, index: number): void {
    this.clear();
    this.samples = samples.histograms === undefined ? this.#numbers : this.#histograms;
    this.samples.append(samples, index, samples.timestampsMs[index] ?? 0);
  }

  clear(): void {
    this.samples.length = 0;
    this.samples.histograms?.clear();
  }
}
