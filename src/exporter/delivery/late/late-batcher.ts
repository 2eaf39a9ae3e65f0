import { CollisionDetector } from "../../remote-write/encoding/collision-detector.ts";
import { SampleBuffer } from "../../series/series.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { Batch } from "../batch/batch.ts";
import {
  Batcher,
  type BatcherOptions,
  isCarried,
  type SourceBatcher,
  type WindowBatcher,
} from "../batch/batcher.ts";
import type { InvalidSeriesCount } from "../batch/invalid-series.ts";
import { copySamples } from "../batch/sample-range.ts";
import { seriesHashOf } from "../batch/series-hash.ts";
import type { Sent } from "./sent-samples.ts";

/** The reading of a span in which the store has more than was read: takes only the samples not sent. */
export class LateBatcher implements WindowBatcher {
  readonly #options: BatcherOptions;
  readonly #sent: readonly Sent[];
  readonly #inner: Batcher;
  readonly #collisions: CollisionDetector;
  readonly #late = new SampleBuffer();
  #found = 0;

  constructor(sent: readonly Sent[], options: BatcherOptions) {
    this.#options = options;
    this.#sent = sent;
    this.#collisions = new CollisionDetector(options.encoder, options.collisions, options.fromMs);
    this.#inner = new Batcher(new SeriesHashTable(), options);
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
        const hash = hashOf(series);
        // One series of a pair was rejected in the first reading, and counted there; so was an invalid one.
        if (encoded.kind !== "series" || hash === undefined || this.#collisions.knows(encoded)) return [];
        const { high, low } = hash;
        copySamples(samples, this.#late, (index) => {
          const ms = samples.timestampsMs[index] ?? 0;
          return isCarried(samples, index, encoder) && !this.#sent.some((sent) => sent.has(high, low, ms));
        });
        if (this.#late.length === 0) return [];
        this.#found += this.#late.length;
        return inner.add(series, this.#late);
      },
    };
  }

  finishTimedOut(): readonly Batch[] {
    return this.#inner.finishTimedOut();
  }

  finishEarly(): readonly Batch[] {
    return this.#inner.finishEarly();
  }

  finishAll(): readonly Batch[] {
    return this.#inner.finishAll();
  }

  takeInvalid(): readonly InvalidSeriesCount[] {
    return this.#inner.takeInvalid();
  }

  /** None: counted when they were first read. */
  takeDropped(): number {
    return 0;
  }
}
