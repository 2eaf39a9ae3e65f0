import { CollisionDetector } from "../../remote-write/encoding/collision-detector.ts";
import type { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import type { InvalidSeries, SeriesEncoder } from "../../remote-write/encoding/labels.ts";
import type { CapacityListener, RequestBuilder } from "../../remote-write/encoding/request.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import { type EncodedSeries, SampleBuffer, type Series } from "../../series/series.ts";
import type { SeriesHashTable } from "../../series/series-hash-table.ts";
import { type Batch, OpenBatch, type Suspicion } from "./batch.ts";
import { type InvalidSeriesCount, InvalidSeriesCounter } from "./invalid-series.ts";
import type { PartitionChoice } from "./partitions.ts";
import { copySamples, cutAt, firstAfter } from "./sample-range.ts";
import { type SeriesHash, sourceSalt } from "./series-hash.ts";

export interface BatcherOptions {
  readonly encoder: SeriesEncoder;
  /** The sink's known collisions. */
  readonly collisions: KnownCollisions;
  readonly newBuilder: (onCapacity: CapacityListener) => RequestBuilder;
  /** Start of the window. */
  readonly fromMs: number;
  /** Maximum number of samples in a batch, by their weight. */
  readonly maxSamples: number;
  /** A batch is finished when its uncompressed body reaches this size. */
  readonly maxBytes: number;
  readonly partitionCount: number;
  /** A batch is finished when its first sample has waited this long. */
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  /** Set when exemplars are sent. */
  readonly exemplars?: ExemplarSupply | undefined;
  /** Set when the sink has suspects. */
  readonly suspects?: SuspectLookup | undefined;
  /** Series that make the receiver fail are the last, too: the window's first request shows whether it is up. */
  readonly isProbe?: boolean;
}

/** The series that were refused lately. */
interface SuspectLookup {
  /** How often a series was refused alone; 0 for one that is no suspect. */
  times(high: number, low: number): number;
  /** Whether it was not refused, but made the receiver fail. */
  isFailing(high: number, low: number): boolean;
}

/** The unsent exemplars of a window's series. */
export interface ExemplarSupply {
  /** The exemplars to send with samples of a series, in time order. They count as sent. */
  take(encoded: EncodedSeries): readonly Exemplar[] | undefined;
}

/** Accepts the samples of one source in a reading. The source's name is part of a series' identity. */
export interface SourceBatcher {
  /** @returns the batches that these samples have completed */
  add(series: Series, samples: SampleBuffer): readonly Batch[];
}

/** One reading of a window, or of a part of it: cuts its samples into batches. */
export interface WindowBatcher {
  source(name: string): SourceBatcher;
  /** Memory of the open batches. */
  readonly openBytes: number;
  /** Finishes the batches whose first sample has waited for the batch timeout. */
  finishTimedOut(): readonly Batch[];
  /** Finishes the open batches early where that does no harm, since memory is short. */
  finishEarly(): readonly Batch[];
  /** Finishes the remaining batches at the end of the window. */
  finishAll(): readonly Batch[];
  /** The invalid series since the last call. */
  takeInvalid(): readonly InvalidSeriesCount[];
  /** Number of samples, since the last call, of series that relabelling rules drop. */
  takeDropped(): number;
}

const noBatches: readonly Batch[] = [];
/** A series that was refused alone as often is sent together with others of its kind. */
const surelyRefusedAfter = 3;

/**
 * Cuts a window's samples into batches.
 *
 * The first batch of a window accepts any series and needs all partitions, so it is sent alone. After that,
 * every series goes to the open batch of its partition. A window that fits one request is therefore one
 * request; a larger one uses its partitions in parallel, and no series is in two requests at once.
 */
export class Batcher implements WindowBatcher {
  readonly #options: BatcherOptions;
  /** The time up to which each series is acknowledged or rejected, in ms after the window's start. */
  readonly #acknowledged: SeriesHashTable;
  readonly #collisions: CollisionDetector;
  readonly #invalid = new InvalidSeriesCounter();
  readonly #carried = new SampleBuffer();
  #first: OpenBatch | undefined;
  /** Indexed by partition; a partition may have none. */
  readonly #openBatches: Array<OpenBatch | undefined>;
  #openBytes = 0;
  #dropped = 0;
  /**
   * Suspects' batches: of those surely refused, of those that surely fail, and of each other series. They are
   * sent after the others; those that fail before the last ones, which show whether the receiver is up.
   */
  readonly #suspected = new Map<string, OpenBatch>();
  #finishedSuspects: Batch[] = [];

  constructor(acknowledged: SeriesHashTable, options: BatcherOptions) {
    this.#acknowledged = acknowledged;
    this.#options = options;
    this.#openBatches = new Array<OpenBatch | undefined>(options.partitionCount).fill(undefined);
    this.#first = this.#newBatch("all");
    this.#collisions = new CollisionDetector(options.encoder, options.collisions, options.fromMs);
  }

  get openBytes(): number {
    return this.#openBytes;
  }

  source(name: string): SourceBatcher {
    const salt = sourceSalt(name);
    return { add: (series, samples) => this.#add(salt, series, samples) };
  }

  #add(salt: SeriesHash, series: Series, given: SampleBuffer): readonly Batch[] {
    const encoded = this.#options.encoder.encode(series);
    if (encoded.kind === "dropped") {
      this.#dropped += given.length;
      return noBatches;
    }
    const invalid = encoded.kind === "series" ? this.#collisions.claim(series, encoded) : encoded;
    if (encoded.kind !== "series" || invalid !== undefined) {
      if (invalid !== undefined) this.#invalid.add(invalid, given.length);
      return noBatches;
    }
    const samples = mayHoldUncarried(given, this.#options.encoder) ? this.#carriedOf(given) : given;
    const { maxSamples, maxBytes, fromMs, exemplars: supply, suspects } = this.#options;
    const high = encoded.hashHigh ^ salt.high;
    const low = encoded.hashLow ^ salt.low;
    const timesRefused = suspects === undefined ? 0 : suspects.times(high, low);
    if (timesRefused > 0) return this.#addSuspect(high, low, timesRefused, encoded, samples);
    let finished = samples.followsOtherKind ? this.#finishOpenOf(encoded) : undefined;
    const untilMs = this.#acknowledged.size > 0 ? this.#acknowledged.get(high, low) : undefined;
    let start = untilMs === undefined ? 0 : firstAfter(samples, fromMs + untilMs);
    while (start < samples.length) {
      const open = this.#openFor(encoded);
      const { builder } = open;
      const end = cutAt(samples, start, maxSamples, builder.weight);
      if (end > start) {
        if (builder.sampleCount === 0) open.firstAtMs = this.#options.monotonicMs();
        if (supply === undefined) builder.append(encoded, samples, start, end);
        else builder.append(encoded, samples, start, end, supply.take(encoded));
        open.entries.add(high, low, samples, start, end);
        start = end;
        if (builder.weight < maxSamples && builder.byteLength < maxBytes) continue;
      }
      finished ??= [];
      finished.push(this.#finish(open));
    }
    return finished ?? noBatches;
  }

  #addSuspect(
    high: number,
    low: number,
    times: number,
    encoded: EncodedSeries,
    samples: SampleBuffer,
  ): readonly Batch[] {
    const { fromMs, maxSamples, maxBytes } = this.#options;
    const untilMs = this.#acknowledged.get(high, low);
    let start = untilMs === undefined ? 0 : firstAfter(samples, fromMs + untilMs);
    const isFailing = this.#options.suspects?.isFailing(high, low) === true;
    const isSure = times >= surelyRefusedAfter;
    const key = isSure ? `sure ${isFailing}` : `${high} ${low}`;
    if (samples.followsOtherKind) this.#setSuspectsAside();
    while (start < samples.length) {
      const open = this.#suspected.get(key) ?? this.#newBatch("all", { isSure, isFailing });
      this.#suspected.set(key, open);
      const end = cutAt(samples, start, maxSamples, open.builder.weight);
      if (end > start) {
        open.builder.append(encoded, samples, start, end);
        open.entries.add(high, low, samples, start, end);
        start = end;
        if (open.builder.weight < maxSamples && open.builder.byteLength < maxBytes) continue;
      }
      this.#finishedSuspects.push(open.finish());
    }
    return noBatches;
  }

  #setSuspectsAside(): void {
    for (const batch of this.#suspected.values()) {
      if (batch.builder.sampleCount > 0) this.#finishedSuspects.push(batch.finish());
    }
    this.#suspected.clear();
  }

  #finishSuspects(): readonly Batch[] {
    this.#setSuspectsAside();
    const finished = this.#finishedSuspects;
    this.#finishedSuspects = [];
    return finished;
  }

  /** The batch that the series' next samples go to. */
  #openFor({ hashLow }: EncodedSeries): OpenBatch {
    return this.#first ?? this.#openBatchOf(partitionOf(hashLow, this.#options.partitionCount));
  }

  #finishOpenOf(encoded: EncodedSeries): Batch[] | undefined {
    const open = this.#openFor(encoded);
    return open.builder.sampleCount === 0 ? undefined : [this.#finish(open)];
  }

  #carriedOf(samples: SampleBuffer): SampleBuffer {
    const { encoder } = this.#options;
    copySamples(samples, this.#carried, (index) => isCarried(samples, index, encoder));
    const left = samples.length - this.#carried.length;
    if (left > 0) this.#invalid.add(customBuckets, left);
    return this.#carried;
  }

  finishTimedOut(): readonly Batch[] {
    const oldestMs = this.#options.monotonicMs() - this.#options.timeoutMs;
    return this.#finishWhere(({ firstAtMs }) => firstAtMs <= oldestMs);
  }

  finishEarly(): readonly Batch[] {
    return this.#finishWhere(() => true);
  }

  finishAll(): readonly Batch[] {
    const batches = this.#finishWhere(() => true);
    const suspects = this.#finishSuspects();
    if (suspects.length === 0) return batches;
    const isFirst = ({ suspicion }: Batch) => this.#options.isProbe !== true && suspicion?.isFailing === true;
    return [...suspects.filter(isFirst), ...batches, ...suspects.filter((batch) => !isFirst(batch))];
  }

  takeInvalid(): readonly InvalidSeriesCount[] {
    return this.#invalid.take();
  }

  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  #finishWhere(isDue: (open: OpenBatch) => boolean): readonly Batch[] {
    const all = this.#first === undefined ? this.#openBatches : [this.#first];
    return all
      .filter((open) => open !== undefined)
      .filter((open) => open.builder.sampleCount > 0 && isDue(open))
      .map((open) => this.#finish(open));
  }

  #openBatchOf(partition: number): OpenBatch {
    let open = this.#openBatches[partition];
    if (open === undefined) {
      open = this.#newBatch(partition);
      this.#openBatches[partition] = open;
    }
    return open;
  }

  #newBatch(partitions: PartitionChoice, suspicion?: Suspicion): OpenBatch {
    const onCapacity = (changeBytes: number) => {
      this.#openBytes += changeBytes;
    };
    const { newBuilder, fromMs } = this.#options;
    return new OpenBatch({ newBuilder, onCapacity, fromMs, partitions, suspicion });
  }

  #finish(open: OpenBatch): Batch {
    if (open === this.#first) this.#first = undefined;
    return open.finish();
  }
}

const customBuckets: InvalidSeries = {
  kind: "invalid",
  reason: "custom_buckets",
  message:
    "remote write 1.0 does not have native histograms with custom buckets (delivery.protocol: 2.0 has)",
};

function mayHoldUncarried({ histograms }: SampleBuffer, { shape }: SeriesEncoder): boolean {
  return histograms?.hasCustomBuckets === true && shape.protocol === "1.0";
}

/** Whether the encoder's protocol has samples of this kind. */
export function isCarried(samples: SampleBuffer, index: number, { shape }: SeriesEncoder): boolean {
  return shape.protocol !== "1.0" || !samples.hasCustomBuckets(index);
}

/**
 * Uses unsigned integers: hashes above 2^31 are doubles, and their remainder is much slower
 * (bench/batch.bench.ts).
 */
function partitionOf(hashLow: number, partitionCount: number): number {
  return (hashLow >>> 0) % (partitionCount >>> 0);
}
