import { createHash } from "node:crypto";
import { SampleBuffer, type Series } from "../core/series.ts";
import type { LabelCache } from "./label-cache.ts";
import { MalformedMessage, MessageCursor, wireTypes } from "./message-cursor.ts";
import { labelsField, parseReadLabels } from "./read-labels.ts";
import { sortByTime, trimToWindow } from "./sample-order.ts";
import type { Window } from "./window.ts";
import { XorChunkDecoder } from "./xor-chunk.ts";

/** proto/remote-read.proto, Chunk.Encoding. */
const chunkEncodings = { xor: 1, histogram: 2, floatHistogram: 3 } as const;

/**
 * Decodes what a remote read answers with (proto/remote-read.proto): the messages of a stream of chunks, or one message
 * of samples. Calls `onSeries` for each series with samples in the window, in time order; the SampleBuffer is
 * valid until it returns.
 *
 * A series that several queries of the read select is passed on for one of them only.
 */
export class ReadResponseDecoder {
  /** Series passed on; one that comes in several messages counts in each. */
  series = 0;
  /** Samples passed on. */
  samples = 0;
  /** Series left out because they are beyond the limits, and those of native histograms. */
  readonly refusals = new Map<string, number>();
  lastRefusal: string | undefined;

  readonly #cache: LabelCache;
  readonly #window: Window;
  readonly #onSeries: (series: Series, samples: SampleBuffer) => void;
  readonly #buffer = new SampleBuffer();
  readonly #chunks = new XorChunkDecoder();
  /** By a digest of a series' labels, the query that it is passed on for; undefined where there is but one query. */
  readonly #owners: Map<string, number> | undefined;

  constructor(
    cache: LabelCache,
    window: Window,
    queries: number,
    onSeries: (series: Series, samples: SampleBuffer) => void,
  ) {
    this.#cache = cache;
    this.#window = window;
    this.#onSeries = onSeries;
    this.#owners = queries > 1 ? new Map() : undefined;
  }

  /** One ChunkedReadResponse. @throws MalformedMessage, and what `onSeries` throws */
  chunked(bytes: Buffer, start: number, end: number): void {
    let query = 0;
    const head = new MessageCursor(bytes, start, end);
    while (head.next()) if (head.is(2, wireTypes.varint)) query = head.int64();
    const view = viewOf(bytes);
    const fields = new MessageCursor(bytes, start, end);
    while (fields.next()) {
      if (fields.is(1, wireTypes.bytes))
        this.#takeSeries(bytes, view, fields.message(), query, this.#takeChunk);
    }
  }

  /** One ReadResponse: everything. @throws MalformedMessage, and what `onSeries` throws */
  sampled(bytes: Buffer): void {
    const view = viewOf(bytes);
    const fields = new MessageCursor(bytes);
    for (let query = 0; fields.next(); ) {
      if (!fields.is(1, wireTypes.bytes)) continue;
      const result = fields.message();
      while (result.next()) {
        if (result.is(1, wireTypes.bytes))
          this.#takeSeries(bytes, view, result.message(), query, this.#takeSample);
      }
      query++;
    }
  }

  #takeSeries(
    bytes: Buffer,
    view: DataView,
    fields: MessageCursor,
    query: number,
    takeData: (bytes: Buffer, fields: MessageCursor) => boolean,
  ): void {
    const samples = this.#buffer;
    samples.length = 0;
    let labelsStart = 0;
    let labelsEnd = 0;
    let hasHistograms = false;
    while (fields.next()) {
      if (fields.is(labelsField, wireTypes.bytes)) {
        if (labelsEnd === 0) labelsStart = fields.tagStart;
        else if (labelsEnd !== fields.tagStart) throw new MalformedMessage("a series' labels lie apart");
        labelsEnd = fields.end;
      } else if (takeData(bytes, fields)) hasHistograms = true;
    }
    const isOwned = this.#own(bytes, labelsStart, labelsEnd, query);
    if (!isOwned) return;
    if (hasHistograms) this.#refuse("native_histogram", "native histograms are not exported");
    this.#tidy();
    if (samples.length === 0) return;
    const found = this.#cache.find(bytes, view, labelsStart, labelsEnd, parseReadLabels);
    if (found === undefined) throw new MalformedMessage("a series has no readable labels");
    if (found.kind === "refused") {
      this.#refuse(found.reason, found.message);
      return;
    }
    this.series++;
    this.samples += samples.length;
    this.#onSeries(found, samples);
  }

  /** A field of ChunkedSeries. @returns whether it is a native histogram's, with something in the window */
  readonly #takeChunk = (bytes: Buffer, fields: MessageCursor): boolean => {
    if (!fields.is(2, wireTypes.bytes)) return false;
    let encoding = 0;
    let minMs = 0;
    let maxMs = 0;
    let start = 0;
    let end = 0;
    const chunk = fields.message();
    while (chunk.next()) {
      if (chunk.is(1, wireTypes.varint)) minMs = chunk.int64();
      else if (chunk.is(2, wireTypes.varint)) maxMs = chunk.int64();
      else if (chunk.is(3, wireTypes.varint)) encoding = chunk.int64();
      else if (chunk.is(4, wireTypes.bytes)) {
        start = chunk.start;
        end = chunk.end;
      }
    }
    switch (encoding) {
      case chunkEncodings.xor:
        this.#chunks.decode(bytes, start, end, this.#buffer);
        return false;
      case chunkEncodings.histogram:
      case chunkEncodings.floatHistogram:
        return maxMs > this.#window.fromMs && minMs <= this.#window.toMs;
      default:
        throw new MalformedMessage(`a chunk has the encoding ${encoding}, which is not known`);
    }
  };

  /** A field of TimeSeries. @returns whether it is a native histogram */
  readonly #takeSample = (bytes: Buffer, fields: MessageCursor): boolean => {
    if (fields.is(4, wireTypes.bytes)) return true;
    if (!fields.is(2, wireTypes.bytes)) return false;
    const samples = this.#buffer;
    const index = samples.length;
    samples.reserve(index + 1);
    samples.timestampsMs[index] = 0;
    samples.values[index] = 0;
    const sample = fields.message();
    while (sample.next()) {
      if (sample.is(1, wireTypes.fixed64)) {
        samples.setBits(index, bytes.readUInt32LE(sample.start + 4), bytes.readUInt32LE(sample.start));
      } else if (sample.is(2, wireTypes.varint)) samples.timestampsMs[index] = sample.int64();
    }
    samples.length = index + 1;
    return false;
  };

  #own(bytes: Buffer, start: number, end: number, query: number): boolean {
    if (this.#owners === undefined) return true;
    // A digest, since the labels of very many series would take much memory.
    const key = createHash("sha256").update(bytes.subarray(start, end)).digest("binary");
    const owner = this.#owners.get(key);
    if (owner === undefined) this.#owners.set(key, query);
    return owner === undefined || owner === query;
  }

  /** Chunks are whole, so they reach beyond the window; and a server may merge them in another order than time's. */
  #tidy(): void {
    const { length, timestampsMs } = this.#buffer;
    for (let index = 1; index < length; index++) {
      if ((timestampsMs[index - 1] as number) > (timestampsMs[index] as number)) {
        sortByTime(this.#buffer);
        break;
      }
    }
    trimToWindow(this.#buffer, this.#window.fromMs, this.#window.toMs);
  }

  #refuse(reason: string, message: string): void {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
    this.lastRefusal = message;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
