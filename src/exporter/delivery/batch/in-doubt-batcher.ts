import { SampleBuffer, type Series } from "../../series/series.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow } from "../state/sink-state.ts";
import { type Batch, OpenBatch } from "./batch.ts";
import type { BatcherOptions, SourceBatcher, WindowBatcher } from "./batcher.ts";
import type { InvalidSeriesCount } from "./invalid-series.ts";
import { copySamples, isOneOf } from "./sample-range.ts";
import { type SeriesHash, sourceSalt } from "./series-hash.ts";

/** A series' samples in a request in doubt. */
interface DoubtfulSamples {
  readonly batch: OpenBatch;
  readonly entries: RequestEntries;
  readonly set: number;
}

type InDoubtOptions = Pick<BatcherOptions, "encoder" | "newBuilder" | "fromMs">;

interface DoubtfulSeries {
  /** Oldest first. */
  readonly requests: DoubtfulSamples[];
  /** Times (Unix ms) of its samples in acknowledged requests. */
  readonly acknowledged: Set<number>;
}

/**
 * The reading that resolves a window's in-doubt requests before anything else of the window is sent. It takes
 * only their samples, and sends each request alone and in its old composition. A receiver that accepted the
 * request the first time then rejects exactly the samples it already has, and none of any other request.
 */
export class InDoubtBatcher implements WindowBatcher {
  readonly #options: InDoubtOptions;
  readonly #batches: OpenBatch[] = [];
  /** Of each series, a number in {@link #samples}. */
  readonly #index = new SeriesHashTable();
  readonly #samples: DoubtfulSeries[] = [];
  readonly #buffer = new SampleBuffer();
  #openBytes = 0;

  constructor(window: OpenWindow, options: InDoubtOptions) {
    this.#options = options;
    const onCapacity = (changeBytes: number) => {
      this.#openBytes += changeBytes;
    };
    const { newBuilder, fromMs } = options;
    for (const { number, entries, state } of window.requests.values()) {
      if (state !== "sent") continue;
      const batch = new OpenBatch({ newBuilder, onCapacity, fromMs, partitions: "all", inDoubt: number });
      this.#batches.push(batch);
      entries.each((high, low, _untilMs, set) => this.#note(high, low, { batch, entries, set }));
    }
    for (const { entries, state } of window.requests.values()) {
      if (state !== "acknowledged") continue;
      entries.each((high, low, _untilMs, set) => {
        const doubtful = this.#samples[this.#index.get(high, low) ?? -1];
        for (const ms of doubtful === undefined ? [] : entries.timesOf(set)) doubtful?.acknowledged.add(ms);
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

  #note(high: number, low: number, doubtful: DoubtfulSamples): void {
    const known = this.#index.get(high, low);
    if (known !== undefined) this.#samples[known]?.requests.push(doubtful);
    else {
      this.#index.set(high, low, this.#samples.push({ requests: [doubtful], acknowledged: new Set() }) - 1);
    }
  }

  #add(salt: SeriesHash, series: Series, samples: SampleBuffer): void {
    const encoded = this.#options.encoder.encode(series);
    if (encoded.kind !== "series") return;
    const high = encoded.hashHigh ^ salt.high;
    const low = encoded.hashLow ^ salt.low;
    const doubtful = this.#samples[this.#index.get(high, low) ?? -1];
    if (doubtful === undefined) return;
    // A part of a request may be in doubt, or acknowledged, as a request of its own.
    const done = new Set(doubtful.acknowledged);
    for (const { batch, entries, set } of doubtful.requests) {
      const sentMs = entries.timesOf(set);
      // Samples that have reached the store since then belong to no request: they are late.
      copySamples(samples, this.#buffer, (index) => {
        const ms = samples.timestampsMs[index] ?? 0;
        return isOneOf(sentMs, ms) && !done.has(ms);
      });
      for (const ms of sentMs) done.add(ms);
      const { length } = this.#buffer;
      if (length === 0) continue;
      batch.builder.append(encoded, this.#buffer, 0, length);
      batch.entries.add(high, low, this.#buffer, 0, length);
    }
  }

  /** None: a request can be rebuilt only from the whole window. */
  finishTimedOut(): readonly Batch[] {
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

  takeDropped(): number {
    return 0;
  }
}
