import { createHash } from "node:crypto";
import { CollisionDetector } from "../../remote-write/encoding/collision-detector.ts";
import type { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import type { InvalidSeries, SeriesEncoder } from "../../remote-write/encoding/labels.ts";
import type { EncodedRequest, RequestBuilder } from "../../remote-write/encoding/request.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import { eachSampleHash } from "../late/sample-hash.ts";
import { SeriesHashTable } from "../late/series-hash-table.ts";
import type { LaneChoice } from "../send/lanes.ts";
import { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow } from "../state/sink-state.ts";

/** A finished request, with the data that its journal entry needs. */
export interface Batch {
  readonly request: EncodedRequest;
  readonly entries: RequestEntries;
  /** One entry per sample (see `sample-hash.ts`); set only when the options ask for it. */
  readonly samples?: RequestEntries | undefined;
  readonly lanes: LaneChoice;
  /** Its number in the journal when it was sent before and is in doubt. */
  readonly inDoubt: number | undefined;
}

export interface BatcherOptions {
  readonly encoder: SeriesEncoder;
  /** The sink's known collisions. */
  readonly collisions: KnownCollisions;
  readonly newBuilder: () => RequestBuilder;
  /** Start of the window. */
  readonly fromMs: number;
  /** Maximum number of samples in a request. */
  readonly maxSamples: number;
  /** A request is finished when its uncompressed body reaches this size. */
  readonly maxBytes: number;
  readonly laneCount: number;
  /** A request is finished when its first sample has waited this long. */
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  /** Whether each request includes an entry for each of its samples. */
  readonly keepsSamples: boolean;
  readonly onRequest: (ready: Batch) => void;
  readonly onRefused: (refused: InvalidSeries, samples: number) => void;
}

/** A request being built. */
class OpenBatch {
  readonly builder: RequestBuilder;
  entries: RequestEntries;
  samples: RequestEntries | undefined;
  firstAtMs = 0;
  readonly lanes: LaneChoice;
  readonly inDoubt: number | undefined;
  readonly #fromMs: number;

  constructor(options: BatcherOptions, lanes: LaneChoice, inDoubt?: number) {
    this.#fromMs = options.fromMs;
    this.builder = options.newBuilder();
    this.entries = new RequestEntries(options.fromMs);
    this.lanes = lanes;
    this.inDoubt = inDoubt;
  }

  /** Records these samples; `high` and `low` are the hash of their series. */
  addSamples(high: number, low: number, samples: SampleBuffer, start: number, end: number): void {
    const entries = this.samples ?? new RequestEntries(this.#fromMs);
    this.samples = entries;
    eachSampleHash(high, low, samples, start, end, (sampleHigh, sampleLow, index) =>
      entries.add(sampleHigh, sampleLow, samples.timestampsMs[index] ?? 0),
    );
  }
}

/** Accepts the samples of one source in a pass. The source's name is part of a series' identity. */
export interface BatchSource {
  onSeries(series: Series, samples: SampleBuffer): void;
}

/**
 * One reading of a window: cuts its samples into requests.
 *
 * The first request of a pass takes any series and needs all lanes, so it is sent alone. After that, every
 * series goes to the open batch of its lane. A window that fits one request is therefore one request; a
 * larger one uses its lanes in parallel, and no series is in two requests at once.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  /** The time up to which each series is acknowledged or rejected. */
  readonly #settled: SeriesHashTable;
  #first: OpenBatch | undefined;
  /** Indexed by lane; a lane may have none. */
  readonly #openBatches: Array<OpenBatch | undefined>;
  readonly #collisions: CollisionDetector;

  constructor(settled: SeriesHashTable, options: BatcherOptions) {
    this.#settled = settled;
    this.#options = options;
    this.#openBatches = new Array<OpenBatch | undefined>(options.laneCount).fill(undefined);
    this.#first = new OpenBatch(options, "all");
    this.#collisions = new CollisionDetector(options.encoder, options.collisions, options.fromMs);
  }

  source(name: string): BatchSource {
    const salt = sourceSalt(name);
    return {
      onSeries: (series, samples) => this.#add(salt, series, samples),
    };
  }

  #add(salt: Salt, series: Series, samples: SampleBuffer): void {
    const encoded = this.#options.encoder.encode(series);
    if (encoded.kind === "invalid") {
      this.#options.onRefused(encoded, samples.length);
      return;
    }
    const collision = this.#collisions.claim(series, encoded);
    if (collision !== undefined) {
      this.#options.onRefused(collision, samples.length);
      return;
    }
    const high = encoded.hashHigh ^ salt.high;
    const low = encoded.hashLow ^ salt.low;
    let start = this.#settled.size > 0 ? firstAfter(samples, this.#settled.get(high, low)) : 0;
    while (start < samples.length) {
      const openBatch =
        this.#first ?? this.#openBatchOfLane(laneOf(encoded.hashLow, this.#options.laneCount));
      const { builder, entries } = openBatch;
      const end = cutAt(samples, start, this.#options.maxSamples, builder.sampleCount);
      if (end === start) {
        this.#finish(openBatch);
        continue;
      }
      if (builder.sampleCount === 0) openBatch.firstAtMs = this.#options.monotonicMs();
      builder.append(encoded, samples, start, end);
      entries.add(high, low, samples.timestampsMs[end - 1] ?? 0);
      if (this.#options.keepsSamples) openBatch.addSamples(high, low, samples, start, end);
      start = end;
      if (builder.sampleCount >= this.#options.maxSamples || builder.byteLength >= this.#options.maxBytes) {
        this.#finish(openBatch);
      }
    }
  }

  /** Finishes the requests whose first sample has waited for the batch timeout. */
  finishAged(): void {
    const oldestMs = this.#options.monotonicMs() - this.#options.timeoutMs;
    for (const openBatch of this.#all()) if (openBatch.firstAtMs <= oldestMs) this.#finish(openBatch);
  }

  /** Finishes the remaining requests at the end of the window. */
  finishAll(): void {
    for (const openBatch of this.#all()) this.#finish(openBatch);
  }

  #all(): Iterable<OpenBatch> {
    return this.#first === undefined
      ? this.#openBatches.filter((openBatch) => openBatch !== undefined)
      : [this.#first];
  }

  #openBatchOfLane(lane: number): OpenBatch {
    let openBatch = this.#openBatches[lane];
    if (openBatch === undefined) {
      openBatch = new OpenBatch(this.#options, lane);
      this.#openBatches[lane] = openBatch;
    }
    return openBatch;
  }

  #finish(openBatch: OpenBatch): void {
    if (openBatch.builder.sampleCount === 0) return;
    const { entries, samples, lanes, inDoubt } = openBatch;
    openBatch.entries = new RequestEntries(this.#options.fromMs);
    openBatch.samples = undefined;
    if (openBatch === this.#first) this.#first = undefined;
    this.#options.onRequest({ request: openBatch.builder.finish(), entries, samples, lanes, inDoubt });
  }
}

/**
 * The reading that resolves a window's in-doubt requests before anything else of the window is sent. It takes
 * only their series, and sends each request alone and in its old composition. A receiver that accepted the
 * request the first time then rejects exactly the samples it already has, and none of any other request.
 */
export class InDoubtBatcher {
  readonly #options: BatcherOptions;
  readonly #settled: SeriesHashTable;
  readonly #openBatches: OpenBatch[] = [];
  /** The in-doubt request that holds a series, and the time up to which it does. */
  readonly #index = new SeriesHashTable();
  readonly #untilMs: SeriesHashTable = new SeriesHashTable();

  constructor(window: OpenWindow, settled: SeriesHashTable, options: BatcherOptions) {
    this.#options = options;
    this.#settled = settled;
    for (const { number, entries, state } of window.requests.values()) {
      if (state !== "sent") continue;
      const index = this.#openBatches.push(new OpenBatch(options, "all", number)) - 1;
      entries.each((high, low, untilMs) => {
        this.#index.set(high, low, index);
        this.#untilMs.set(high, low, untilMs);
      });
    }
  }

  source(name: string): BatchSource {
    const salt = sourceSalt(name);
    return {
      onSeries: (series, samples) => this.#add(salt, series, samples),
    };
  }

  #add(salt: Salt, series: Series, samples: SampleBuffer): void {
    const encoded = this.#options.encoder.encode(series);
    if (encoded.kind === "invalid") return;
    const high = encoded.hashHigh ^ salt.high;
    const low = encoded.hashLow ^ salt.low;
    const openBatch = this.#openBatches[this.#index.get(high, low) ?? -1];
    const untilMs = this.#untilMs.get(high, low);
    if (openBatch === undefined || untilMs === undefined) return;
    const start = firstAfter(samples, this.#settled.get(high, low));
    const end = firstAfter(samples, untilMs);
    if (start >= end) return;
    openBatch.builder.append(encoded, samples, start, end);
    openBatch.entries.add(high, low, untilMs);
    // Recorded again: samples may have reached the store since the request was first sent.
    if (this.#options.keepsSamples) openBatch.addSamples(high, low, samples, start, end);
  }

  /**
   * Passes the requests on, oldest first, at the end of the window. A request whose samples are gone from the
   * store is empty.
   */
  finishAll(): void {
    for (const { builder, entries, samples, lanes, inDoubt } of this.#openBatches) {
      this.#options.onRequest({ request: builder.finish(), entries, samples, lanes, inDoubt });
    }
  }
}

/** The time up to which each series of a window is acknowledged or rejected, from its journal. */
export function settledSeries(window: OpenWindow | undefined): SeriesHashTable {
  let expected = 0;
  for (const { entries, state } of window?.requests.values() ?? []) {
    if (state === "settled") expected += entries.length;
  }
  const settled = new SeriesHashTable(expected);
  for (const { entries, state } of window?.requests.values() ?? []) {
    if (state === "settled") entries.each((high, low, untilMs) => settled.raise(high, low, untilMs));
  }
  return settled;
}

/**
 * The hash that identifies a series of this source in journals; undefined for a series that cannot be sent.
 */
export function seriesHashOf(
  source: string,
  encoder: SeriesEncoder,
): (series: Series) => { readonly high: number; readonly low: number } | undefined {
  const salt = sourceSalt(source);
  return (series) => {
    const encoded = encoder.encode(series);
    if (encoded.kind === "invalid") return undefined;
    return { high: encoded.hashHigh ^ salt.high, low: encoded.hashLow ^ salt.low };
  };
}

interface Salt {
  readonly high: number;
  readonly low: number;
}

/** Two sources that select the same series send it twice, so the journal must distinguish them. */
function sourceSalt(name: string): Salt {
  const digest = createHash("sha1").update(name).digest();
  return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4) };
}

/**
 * Uses unsigned integers: hashes above 2^31 are doubles, and their remainder is much slower
 * (bench/batch.bench.ts).
 */
function laneOf(hashLow: number, laneCount: number): number {
  return (hashLow >>> 0) % (laneCount >>> 0);
}

/** The index of the first sample later than `untilMs`; 0 when `untilMs` is undefined. */
function firstAfter(samples: SampleBuffer, untilMs: number | undefined): number {
  if (untilMs === undefined) return 0;
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((samples.timestampsMs[middle] ?? 0) > untilMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Cuts a series' samples from `start` on so that a request that already holds `present` samples has at most
 * `maxSamples`. Samples of equal time stay together, since the journal records a cut by its time. Returns
 * `start` itself when they do not fit beside the present samples, and all of them when no request could hold
 * them.
 */
function cutAt(samples: SampleBuffer, start: number, maxSamples: number, present: number): number {
  const room = maxSamples - present;
  if (samples.length - start <= room) return samples.length;
  const { timestampsMs } = samples;
  let end = start + room;
  while (end > start && timestampsMs[end] === timestampsMs[end - 1]) end--;
  if (end > start || present > 0) return end;
  end = start + 1;
  while (end < samples.length && timestampsMs[end] === timestampsMs[start]) end++;
  return end;
}
