import { createHash } from "node:crypto";
import { EncodedHistograms } from "../../series/encoded-histograms.ts";
import { SampleBuffer, type Series } from "../../series/series.ts";
import type { SampleReceiver } from "../ports/scoped-reader.ts";
import type { Window } from "../ports/window.ts";
import type { LabelCache } from "../samples/label-cache.ts";
import { isInOrder, sortByTime, trimToWindow } from "../samples/sample-order.ts";
import { MalformedMessage, MessageCursor, wireTypes } from "./message-cursor.ts";
import { ReadChunks } from "./read-chunks.ts";
import { forgetResets, runsOf, takeHistogram } from "./read-histograms.ts";
import { labelsField, parseReadLabels } from "./read-labels.ts";

/**
 * Series to read again, by a digest of their labels. The value is a time (Unix epoch, ms): samples up to it
 * have been passed on.
 */
export type SeriesToRead = Map<string, number>;

export interface ReadResponseOptions {
  readonly cache: LabelCache;
  readonly window: Window;
  /** Number of queries in the request. */
  readonly queries: number;
  /** Collects series with chunks in an unknown encoding, to read them again; without it they are left out. */
  readonly setAside?: SeriesToRead | undefined;
  /** Passes on only these series, each after its time. */
  readonly only?: SeriesToRead | undefined;
}

/**
 * Decodes the response of a remote read (proto/remote-read.proto): the messages of a stream of chunks, or one
 * message of samples. Calls `onSeries` for each series with samples in the window, in time order; the
 * SampleBuffer is valid until it returns.
 *
 * A series selected by several queries of the read is passed on for only one of them.
 */
export class ReadResponseDecoder {
  /** Series passed on; one in several messages counts in each. */
  series = 0;
  /** Samples passed on. */
  samples = 0;
  /** Series left out, by reason: beyond the limits, or chunks that cannot be decoded. */
  readonly invalid = new Map<string, number>();
  lastInvalid: string | undefined;

  readonly #cache: LabelCache;
  readonly #window: Window;
  readonly #setAside: SeriesToRead | undefined;
  readonly #only: SeriesToRead | undefined;
  readonly #onSeries: SampleReceiver["onSeries"];
  readonly #buffer = new SampleBuffer();
  readonly #histograms = new EncodedHistograms();
  readonly #histogramBuffer = new SampleBuffer(this.#histograms);
  readonly #chunks: ReadChunks;
  /** The series passed on last, which may come in several messages, and the kind of its last samples. */
  #lastSeries: Series | undefined;
  #lastKind = "";
  /** By a digest of a series' labels, the query for which it is passed on; undefined for a single query. */
  readonly #owners: Map<string, number> | undefined;

  constructor(
    { cache, window, queries, setAside, only }: ReadResponseOptions,
    onSeries: SampleReceiver["onSeries"],
  ) {
    this.#cache = cache;
    this.#window = window;
    this.#setAside = setAside;
    this.#only = only;
    this.#onSeries = onSeries;
    this.#chunks = new ReadChunks(window);
    this.#owners = queries > 1 ? new Map() : undefined;
  }

  /**
   * Decodes one ChunkedReadResponse.
   *
   * @param view of the same memory as `bytes`
   * @returns a promise where `onSeries` returned one: wait for it before the next message
   * @throws MalformedMessage, and the errors of `onSeries`, also in the promise
   */
  chunked(bytes: Buffer, view: DataView, start: number, end: number): Promise<void> | undefined {
    const query = this.#owners === undefined ? 0 : queryOf(bytes, start, end);
    return this.#takeAll(new MessageCursor(bytes, start, end), bytes, view, end, query);
  }

  #takeAll(
    fields: MessageCursor,
    bytes: Buffer,
    view: DataView,
    end: number,
    query: number,
  ): Promise<void> | undefined {
    while (fields.next()) {
      if (!fields.is(1, wireTypes.bytes)) continue;
      const waiting = this.#takeSeries(bytes, view, fields.message(), query, this.#takeChunk);
      if (waiting !== undefined) return this.#takeLater(waiting, bytes.subarray(fields.end, end), query);
    }
    return undefined;
  }

  async #takeLater(waiting: Promise<void>, rest: Buffer, query: number): Promise<void> {
    // A copy: the memory is reused once `chunked` returns.
    const bytes = Buffer.from(rest);
    await waiting;
    await this.#takeAll(new MessageCursor(bytes), bytes, viewOf(bytes), bytes.length, query);
  }

  /** Decodes one ReadResponse, the whole result. @throws MalformedMessage, and the errors of `onSeries` */
  async sampled(bytes: Buffer): Promise<void> {
    const view = viewOf(bytes);
    const fields = new MessageCursor(bytes);
    for (let query = 0; fields.next(); ) {
      if (!fields.is(1, wireTypes.bytes)) continue;
      const result = fields.message();
      while (result.next()) {
        if (!result.is(1, wireTypes.bytes)) continue;
        const waiting = this.#takeSeries(bytes, view, result.message(), query, this.#takeSample);
        if (waiting !== undefined) await waiting;
      }
      query++;
    }
  }

  #takeSeries(
    bytes: Buffer,
    view: DataView,
    fields: MessageCursor,
    query: number,
    takeData: (bytes: Buffer, view: DataView, fields: MessageCursor) => void,
  ): Promise<void> | undefined {
    const samples = this.#buffer;
    const histograms = this.#histogramBuffer;
    samples.length = 0;
    histograms.length = 0;
    this.#histograms.clear();
    this.#chunks.begin();
    let labelsStart = 0;
    let labelsEnd = 0;
    while (fields.next()) {
      if (fields.is(labelsField, wireTypes.bytes)) {
        if (labelsEnd === 0) labelsStart = fields.tagStart;
        else if (labelsEnd !== fields.tagStart) throw new MalformedMessage("a series' labels lie apart");
        labelsEnd = fields.end;
      } else takeData(bytes, view, fields);
    }
    const fromMs = this.#claim(bytes, labelsStart, labelsEnd, query);
    if (fromMs === undefined) return undefined;
    const { hasUnknown, malformed } = this.#chunks;
    if (hasUnknown)
      this.#countInvalid("unknown_encoding", "a series has chunks in an encoding that is not known");
    if (malformed !== undefined) this.#countInvalid("malformed_chunk", malformed);
    this.#tidy(samples, fromMs);
    if (this.#tidy(histograms, fromMs)) forgetResets(histograms);
    if (samples.length + histograms.length === 0) return undefined;
    const found = this.#cache.find(bytes, view, labelsStart, labelsEnd, parseReadLabels);
    if (found === undefined) throw new MalformedMessage("a series has no readable labels");
    if (found.kind === "invalid") {
      this.#countInvalid(found.reason, found.message);
      return undefined;
    }
    this.series++;
    this.samples += samples.length + histograms.length;
    if (histograms.length === 0) return this.#pass(found, samples);
    if (samples.length === 0 && !(this.#histograms.hasIntegers && this.#histograms.hasFloats)) {
      return this.#pass(found, histograms);
    }
    return this.#passRuns(found, runsOf(samples, histograms));
  }

  #passRuns(series: Series, runs: Iterator<SampleBuffer>): Promise<void> | undefined {
    for (let next = runs.next(); next.done !== true; next = runs.next()) {
      const waiting = this.#pass(series, next.value);
      if (waiting !== undefined) return waiting.then(() => this.#passRuns(series, runs));
    }
    return undefined;
  }

  /** Passes on samples of one kind, which may be another than that of the series' last ones. */
  #pass(series: Series, samples: SampleBuffer): Promise<void> | undefined {
    const kind = samples.kind(0);
    samples.followsOtherKind = series === this.#lastSeries && kind !== this.#lastKind;
    this.#lastSeries = series;
    this.#lastKind = kind;
    return this.#onSeries(series, samples);
  }

  /** A field of ChunkedSeries. */
  readonly #takeChunk = (bytes: Buffer, view: DataView, fields: MessageCursor): void => {
    if (fields.is(2, wireTypes.bytes)) {
      this.#chunks.take(bytes, view, fields.message(), this.#buffer, this.#histogramBuffer);
    }
  };

  /** A field of TimeSeries. */
  readonly #takeSample = (bytes: Buffer, view: DataView, fields: MessageCursor): void => {
    if (fields.is(4, wireTypes.bytes)) takeHistogram(bytes, fields.message(), this.#histogramBuffer);
    if (!fields.is(2, wireTypes.bytes)) return;
    const samples = this.#buffer;
    const index = samples.length;
    samples.reserve(index + 1);
    samples.timestampsMs[index] = 0;
    samples.values[index] = 0;
    const sample = fields.message();
    while (sample.next()) {
      if (sample.is(1, wireTypes.fixed64)) {
        samples.setBits(index, view.getInt32(sample.start + 4, true), view.getInt32(sample.start, true));
      } else if (sample.is(2, wireTypes.varint)) samples.timestampsMs[index] = sample.int64();
    }
    samples.length = index + 1;
  };

  /** @returns the time after which the series' samples are passed on for this query, or undefined for none */
  #claim(bytes: Buffer, start: number, end: number, query: number): number | undefined {
    const { fromMs } = this.#window;
    const isSetAside = this.#setAside !== undefined && (this.#chunks.hasUnknown || this.#setAside.size > 0);
    if (this.#owners === undefined && this.#only === undefined && !isSetAside) return fromMs;
    // A digest, since the labels of very many series would take too much memory.
    const key = createHash("sha256").update(bytes.subarray(start, end)).digest("binary");
    const owner = this.#owners?.get(key) ?? query;
    if (owner !== query) return undefined;
    this.#owners?.set(key, query);
    if (this.#setAside?.has(key) === true) return undefined;
    if (this.#setAside !== undefined && this.#chunks.hasUnknown) {
      this.#setAside.set(key, Math.max(fromMs, this.#chunks.earliestMs - 1));
      return undefined;
    }
    if (this.#only === undefined) return fromMs;
    const afterMs = this.#only.get(key);
    return afterMs === undefined ? undefined : Math.max(fromMs, afterMs);
  }

  /**
   * Sorts and trims: chunks are whole, so they exceed the window, and a server may merge them out of order.
   *
   * @returns whether they were out of order
   */
  #tidy(samples: SampleBuffer, fromMs: number): boolean {
    const isOrdered = isInOrder(samples);
    if (!isOrdered) sortByTime(samples);
    trimToWindow(samples, fromMs, this.#window.toMs);
    return !isOrdered;
  }

  #countInvalid(reason: string, message: string): void {
    this.invalid.set(reason, (this.invalid.get(reason) ?? 0) + 1);
    this.lastInvalid = message;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** The query's index; its field may follow the series. */
function queryOf(bytes: Buffer, start: number, end: number): number {
  let query = 0;
  const fields = new MessageCursor(bytes, start, end);
  while (fields.next()) if (fields.is(2, wireTypes.varint)) query = fields.int64();
  return query;
}
