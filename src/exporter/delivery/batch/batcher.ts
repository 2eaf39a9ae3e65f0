import { createHash } from "node:crypto";
import { CollisionDetector } from "../../remote-write/encoding/collision-detector.ts";
import type { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import type { RefusedSeries, SeriesEncoder } from "../../remote-write/encoding/labels.ts";
import type { EncodedRequest, RequestBuilder } from "../../remote-write/encoding/request.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import { eachSampleHash } from "../late/sample-hash.ts";
import { SeriesHashTable } from "../late/series-hash-table.ts";
import type { LaneChoice } from "../send/lanes.ts";
import { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow } from "../state/sink-state.ts";

/** A finished request, with what the journal has to know of it. */
export interface Batch {
  readonly request: EncodedRequest;
  readonly entries: RequestEntries;
  /** An entry for each sample (see `sample-hash.ts`), where the options ask for it. */
  readonly samples?: RequestEntries | undefined;
  readonly lanes: LaneChoice;
  /** Its number in the journal, where it was sent before and its response is not known. */
  readonly inDoubt: number | undefined;
}

export interface BatcherOptions {
  readonly encoder: SeriesEncoder;
  /** Of the sink. */
  readonly collisions: KnownCollisions;
  readonly newBuilder: () => RequestBuilder;
  /** The window's start. */
  readonly fromMs: number;
  /** Samples in a request, at most. */
  readonly maxSamples: number;
  /** A request is finished when its body (uncompressed) has reached this. */
  readonly maxBytes: number;
  readonly laneCount: number;
  /** A request is finished when its first sample has waited this long. */
  readonly timeoutMs: number;
  readonly monotonicMs: () => number;
  /** Whether each request comes with an entry for each of its samples. */
  readonly keepsSamples: boolean;
  readonly onRequest: (ready: Batch) => void;
  readonly onRefused: (refused: RefusedSeries, samples: number) => void;
}

/** A request in the making. */
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

  /** Notes each of these samples; `high` and `low` are the hash of their series. */
  addSamples(high: number, low: number, samples: SampleBuffer, start: number, end: number): void {
    const entries = this.samples ?? new RequestEntries(this.#fromMs);
    this.samples = entries;
    eachSampleHash(high, low, samples, start, end, (sampleHigh, sampleLow, index) =>
      entries.add(sampleHigh, sampleLow, samples.timestampsMs[index] ?? 0),
    );
  }
}

/** What a pass does with the samples of one source; the source's name is part of the identity of a series in it. */
export interface BatchSource {
  onSeries(series: Series, samples: SampleBuffer): void;
}

/**
 * One reading of a window: cuts what is read into requests.
 *
 * The first request of a pass takes any series and needs all lanes, so it goes alone; from then on every series goes
 * to the open batch of its lane. A window that fits one request is thus one request, and a larger one has its lanes side by
 * side with no series in two requests at once.
 */
export class Batcher {
  readonly #options: BatcherOptions;
  /** How far each series is settled. */
  readonly #settled: SeriesHashTable;
  #first: OpenBatch | undefined;
  /** By lane; not every lane has one. */
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
    if (encoded.kind === "refused") {
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

  /** The window has been read: finishes what is left. */
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
 * The reading that settles a window's requests in doubt before anything else of it is sent: only their series, each
 * request in its old composition and alone. A receiver that took the request the first time then refuses exactly what
 * it has, and no neighbour with it.
 */
export class InDoubtBatcher {
  readonly #options: BatcherOptions;
  readonly #settled: SeriesHashTable;
  readonly #openBatches: OpenBatch[] = [];
  /** Which request in doubt holds a series, and how far. */
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
    if (encoded.kind === "refused") return;
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
    // Again, since samples may have come to the store since the request was sent the first time.
    if (this.#options.keepsSamples) openBatch.addSamples(high, low, samples, start, end);
  }

  /** The window has been read: passes the requests on, oldest first. One whose samples are gone from the store is empty. */
  finishAll(): void {
    for (const { builder, entries, samples, lanes, inDoubt } of this.#openBatches) {
      this.#options.onRequest({ request: builder.finish(), entries, samples, lanes, inDoubt });
    }
  }
}

/** How far each series of a window is settled, from its journal. */
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

/** The hash by which journals know a series of this source; undefined for one that cannot be sent. */
export function seriesHashOf(
  source: string,
  encoder: SeriesEncoder,
): (series: Series) => { readonly high: number; readonly low: number } | undefined {
  const salt = sourceSalt(source);
  return (series) => {
    const encoded = encoder.encode(series);
    if (encoded.kind === "refused") return undefined;
    return { high: encoded.hashHigh ^ salt.high, low: encoded.hashLow ^ salt.low };
  };
}

interface Salt {
  readonly high: number;
  readonly low: number;
}

/** Two sources that select the same series send it twice, so the journal must know them apart. */
function sourceSalt(name: string): Salt {
  const digest = createHash("sha1").update(name).digest();
  return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4) };
}

/** As unsigned integers: the remainder of doubles, which hashes above 2^31 are, takes ten times as long (bench/batch.bench.ts). */
function laneOf(hashLow: number, laneCount: number): number {
  return (hashLow >>> 0) % (laneCount >>> 0);
}

/** The index of the first sample later than `untilMs`; 0 where nothing is settled. */
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
 * Where a series' samples from `start` on are cut so that a request which holds `present` samples has at most
 * `maxSamples`. Samples of equal time stay together, since the journal remembers a cut by its time: `start` itself when
 * they do not fit beside what is there, all of them when no request could hold them.
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
