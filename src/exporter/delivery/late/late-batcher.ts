import { CollisionDetector } from "../../remote-write/encoding/collision-detector.ts";
import { SampleBuffer } from "../../series/series.ts";
import { Batcher, type BatcherOptions, type BatchSource, seriesHashOf } from "../batch/batcher.ts";
import type { OpenWindow } from "../state/sink-state.ts";
import { eachSampleHash } from "./sample-hash.ts";
import { SeriesHashTable } from "./series-hash-table.ts";

/**
 * The second reading of a window, `delivery.lateness` after it. Only unsent samples go into its requests. A
 * request has one entry per sample.
 */
export class LateBatcher {
  readonly #options: BatcherOptions;
  readonly #sent: SeriesHashTable;
  readonly #onLate: (samples: number) => void;
  readonly #inner: Batcher;
  readonly #collisions: CollisionDetector;
  readonly #late = new SampleBuffer();

  /** @param onLate called with the number of late samples of a series */
  constructor(window: OpenWindow, options: BatcherOptions, onLate: (samples: number) => void) {
    this.#options = options;
    this.#sent = sentSamples(window);
    this.#onLate = onLate;
    this.#collisions = new CollisionDetector(options.encoder, options.collisions, options.fromMs);
    this.#inner = new Batcher(new SeriesHashTable(), {
      ...options,
      keepsSamples: true,
      onRequest: (ready) =>
        options.onRequest({ ...ready, entries: ready.samples ?? ready.entries, samples: undefined }),
    });
  }

  source(name: string): BatchSource {
    const inner = this.#inner.source(name);
    const { encoder } = this.#options;
    const hashOf = seriesHashOf(name, encoder);
    return {
      onSeries: (series, samples) => {
        const encoded = encoder.encode(series);
        // One series of a pair was rejected in the first reading, and counted there.
        if (encoded.kind === "series" && this.#collisions.knows(encoded)) return;
        this.#select(hashOf(series), samples);
        if (this.#late.length === 0) return;
        this.#onLate(this.#late.length);
        inner.onSeries(series, this.#late);
      },
    };
  }

  finishAged(): void {
    this.#inner.finishAged();
  }

  finishAll(): void {
    this.#inner.finishAll();
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

/** Excludes in-doubt requests of the second reading itself: they are sent again. */
function sentSamples({ requests }: OpenWindow): SeriesHashTable {
  let expected = 0;
  for (const { entries, state } of requests.values()) if (state === "settled") expected += entries.length;
  const sent = new SeriesHashTable(expected);
  for (const { entries, state } of requests.values()) {
    if (state === "settled") entries.each((high, low) => sent.set(high, low, 1));
  }
  return sent;
}
