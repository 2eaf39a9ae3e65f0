import { CollisionDetector } from "../../remote-write/encoding/collision-detector.ts";
import { SampleBuffer } from "../../series/series.ts";
import type { Batch } from "../batch/batch.ts";
import { Batcher, type BatcherOptions, type SourceBatcher, type WindowBatcher } from "../batch/batcher.ts";
import type { InvalidSeriesCount } from "../batch/invalid-series.ts";
import { seriesHashOf } from "../batch/series-hash.ts";
import type { OpenWindow } from "../state/sink-state.ts";
import { eachSampleHash } from "./sample-hash.ts";
import { SeriesHashTable } from "./series-hash-table.ts";

/**
 * The second reading of a window, `delivery.lateness` after it. Only unsent samples go into its batches. A
 * batch has one entry per sample.
 */
export class LateBatcher implements WindowBatcher {
  readonly #options: BatcherOptions;
  readonly #sent: SeriesHashTable;
  readonly #inner: Batcher;
  readonly #collisions: CollisionDetector;
  readonly #late = new SampleBuffer();
  #found = 0;

  constructor(window: OpenWindow, options: BatcherOptions) {
    this.#options = options;
    this.#sent = sentSamples(window);
    this.#collisions = new CollisionDetector(options.encoder, options.collisions, options.fromMs);
    this.#inner = new Batcher(new SeriesHashTable(), { ...options, keepsSamples: true });
  }

  get openBytes(): number {
    return this.#inner.openBytes;
  }

  /** Number of late samples found. */
  get found(): number {
    return this.#found;
  }

  source(name: string): SourceBatcher {
    const inner = this.#inner.source(name);
    const { encoder } = this.#options;
    const hashOf = seriesHashOf(name, encoder);
    return {
      add: (series, samples) => {
        const encoded = encoder.encode(series);
        // One series of a pair was rejected in the first reading, and counted there.
        if (encoded.kind === "series" && this.#collisions.knows(encoded)) return [];
        this.#select(hashOf(series), samples);
        if (this.#late.length === 0) return [];
        this.#found += this.#late.length;
        return inner.add(series, this.#late).map(withSampleEntries);
      },
    };
  }

  finishAged(): readonly Batch[] {
    return this.#inner.finishAged().map(withSampleEntries);
  }

  finishEarly(): readonly Batch[] {
    return this.finishAll();
  }

  finishAll(): readonly Batch[] {
    return this.#inner.finishAll().map(withSampleEntries);
  }

  takeInvalid(): readonly InvalidSeriesCount[] {
    return this.#inner.takeInvalid();
  }

  /** Copies the unsent samples; a series without a hash can never be sent. */
  #select(hash: { high: number; low: number } | undefined, samples: SampleBuffer): void {
    const late = this.#late;
    late.length = 0;
    if (hash === undefined) return;
    late.reserve(samples.length);
    eachSampleHash(hash.high, hash.low, samples, 0, samples.length, (high, low, index) => {
      if (this.#sent.get(high, low) !== undefined) return;
      late.timestampsMs[late.length] = samples.timestampsMs[index] ?? 0;
      samples.valueBytes.copy(late.valueBytes, late.length * 8, index * 8, index * 8 + 8);
      late.length++;
    });
  }
}

/** The journal of a second reading has its entries per sample. */
function withSampleEntries(batch: Batch): Batch {
  return { ...batch, entries: batch.samples ?? batch.entries, samples: undefined };
}

/** Excludes in-doubt requests of the second reading itself: they are sent again. */
function sentSamples({ requests }: OpenWindow): SeriesHashTable {
  let expected = 0;
  for (const { entries, state } of requests.values())
    if (state === "acknowledged") expected += entries.length;
  const sent = new SeriesHashTable(expected);
  for (const { entries, state } of requests.values()) {
    if (state === "acknowledged") entries.each((high, low) => sent.set(high, low, 1));
  }
  return sent;
}
