import type { SampleBuffer } from "../../series/series.ts";
import type { Window } from "../window.ts";
import { MalformedMessage, type MessageCursor, wireTypes } from "./message-cursor.ts";
import { XorChunkDecoder } from "./xor-chunk.ts";
import { Xor2ChunkDecoder } from "./xor2-chunk.ts";

/**
 * proto/remote-read.proto, Chunk.Encoding. Those with start times (`_ST`, Prometheus 3.13) hold histograms
 * too.
 */
const encodings = {
  xor: 1,
  histogram: 2,
  floatHistogram: 3,
  xor2: 4,
  histogramWithStart: 5,
  floatHistogramWithStart: 6,
} as const;

/**
 * Decodes the chunks of one series at a time. `begin` starts a series, `take` adds a chunk's samples to the
 * buffer, and the fields then describe the rest of the chunks. A chunk that cannot be decoded does not affect
 * the others.
 */
export class ReadChunks {
  /** Whether there are native histograms in the window. */
  hasHistograms = false;
  /** Whether there are chunks in an unknown encoding. */
  hasUnknown = false;
  /** The earliest time in the chunks' metadata, ms. */
  earliestMs = Number.POSITIVE_INFINITY;
  /** The fault of a chunk that could not be decoded. */
  malformed: string | undefined;
  readonly #window: Window;
  readonly #xor = new XorChunkDecoder();
  readonly #xor2 = new Xor2ChunkDecoder();

  constructor(window: Window) {
    this.#window = window;
  }

  begin(): void {
    this.hasHistograms = false;
    this.hasUnknown = false;
    this.earliestMs = Number.POSITIVE_INFINITY;
    this.malformed = undefined;
  }

  /**
   * @param view of the same memory as `bytes`
   * @throws MalformedMessage when the bytes are not a chunk's message
   */
  take(bytes: Buffer, view: DataView, chunk: MessageCursor, samples: SampleBuffer): void {
    let encoding = 0;
    let minMs = 0;
    let maxMs = 0;
    let start = 0;
    let end = 0;
    while (chunk.next()) {
      if (chunk.is(1, wireTypes.varint)) minMs = chunk.int64();
      else if (chunk.is(2, wireTypes.varint)) maxMs = chunk.int64();
      else if (chunk.is(3, wireTypes.varint)) encoding = chunk.int64();
      else if (chunk.is(4, wireTypes.bytes)) {
        start = chunk.start;
        end = chunk.end;
      }
    }
    this.earliestMs = Math.min(this.earliestMs, minMs);
    switch (encoding) {
      case encodings.xor:
        this.#decode(this.#xor, bytes, view, start, end, samples);
        break;
      case encodings.xor2:
        this.#decode(this.#xor2, bytes, view, start, end, samples);
        break;
      case encodings.histogram:
      case encodings.floatHistogram:
      case encodings.histogramWithStart:
      case encodings.floatHistogramWithStart:
        this.hasHistograms ||= maxMs > this.#window.fromMs && minMs <= this.#window.toMs;
        break;
      default:
        this.hasUnknown = true;
    }
  }

  #decode(
    decoder: XorChunkDecoder | Xor2ChunkDecoder,
    bytes: Buffer,
    view: DataView,
    start: number,
    end: number,
    samples: SampleBuffer,
  ): void {
    try {
      decoder.decode(bytes, view, start, end, samples);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.malformed = error.message;
    }
  }
}
