import type { SampleBuffer, Series } from "../../series/series.ts";
import { SeriesHashTable } from "../late/series-hash-table.ts";
import type { OpenWindow } from "../state/sink-state.ts";
import { type Batch, OpenBatch } from "./batch.ts";
import type { BatcherOptions, SourceBatcher, WindowBatcher } from "./batcher.ts";
import type { InvalidSeriesCount } from "./invalid-series.ts";
import { firstAfter } from "./sample-range.ts";
import { acknowledgedSeries, type SeriesHash, sourceSalt } from "./series-hash.ts";

/**
 * The reading that resolves a window's in-doubt requests before anything else of the window is sent. It takes
 * only their series, and sends each request alone and in its old composition. A receiver that accepted the
 * request the first time then rejects exactly the samples it already has, and none of any other request.
 */
export class InDoubtBatcher implements WindowBatcher {
  readonly #options: BatcherOptions;
  readonly #acknowledged: SeriesHashTable;
  readonly #batches: OpenBatch[] = [];
  /** The in-doubt request that holds a series, and the time up to which it does. */
  readonly #index = new SeriesHashTable();
  readonly #untilMs: SeriesHashTable = new SeriesHashTable();
  #openBytes = 0;

  constructor(window: OpenWindow, options: BatcherOptions) {
    this.#options = options;
    this.#acknowledged = acknowledgedSeries(window);
    const onCapacity = (changeBytes: number) => {
      this.#openBytes += changeBytes;
    };
    const { newBuilder, fromMs } = options;
    for (const { number, entries, state } of window.requests.values()) {
      if (state !== "sent") continue;
      const batch = new OpenBatch({ newBuilder, onCapacity, fromMs, lanes: "all", inDoubt: number });
      const index = this.#batches.push(batch) - 1;
      entries.each((high, low, untilMs) => {
        this.#index.set(high, low, index);
        this.#untilMs.set(high, low, untilMs);
      });
    }
  }

  get openBytes(): number {
    return this.#openBytes;
  }

  source(name: string): SourceBatcher {
    const salt = sourceSalt(name);
    return {
      add: (series, samples) => {
        this.#add(salt, series, samples);
        return [];
      },
    };
  }

  #add(salt: SeriesHash, series: Series, samples: SampleBuffer): void {
    const encoded = this.#options.encoder.encode(series);
    if (encoded.kind !== "series") return;
    const high = encoded.hashHigh ^ salt.high;
    const low = encoded.hashLow ^ salt.low;
    const batch = this.#batches[this.#index.get(high, low) ?? -1];
    const untilMs = this.#untilMs.get(high, low);
    if (batch === undefined || untilMs === undefined) return;
    const start = firstAfter(samples, this.#acknowledged.get(high, low));
    const end = firstAfter(samples, untilMs);
    if (start >= end) return;
    batch.builder.append(encoded, samples, start, end);
    batch.entries.add(high, low, untilMs);
    // Recorded again: samples may have reached the store since the request was first sent.
    if (this.#options.keepsSamples) batch.addSamples(high, low, samples, start, end);
  }

  /** None: a request can be rebuilt only from the whole window. */
  finishAged(): readonly Batch[] {
    return [];
  }

  finishEarly(): readonly Batch[] {
    return [];
  }

  /**
   * Finishes the requests at the end of the window, oldest first. A request whose samples are gone from the
   * store is empty.
   */
  finishAll(): readonly Batch[] {
    return this.#batches.map((batch) => batch.finish());
  }

  /** None: the next reading of the window counts them. */
  takeInvalid(): readonly InvalidSeriesCount[] {
    return [];
  }
}
