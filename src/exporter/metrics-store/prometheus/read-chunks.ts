import type { SampleBuffer } from "../../series/series.ts";
import type { Window } from "../ports/window.ts";
import { HistogramChunkDecoder } from "./histogram-chunk.ts";
import { MalformedMessage, type MessageCursor, wireTypes } from "./message-cursor.ts";
import { XorChunkDecoder } from "./xor-chunk.ts";
import { Xor2ChunkDecoder } from "./xor2-chunk.ts";

/** proto/remote-read.proto, Chunk.Encoding. `WithStart` (`_ST`, Prometheus 3.13) have start timestamps. */
const encodings = {
  xor: 1,
  histogram: 2,
  floatHistogram: 3,
  xor2: 4,
  histogramWithStart: 5,
  floatHistogramWithStart: 6,
} as const;

interface ChunkDecoder {
  /** Those of numbers pass on the whole chunk, those of histograms only what is in the window. */
  decode(
    bytes: Buffer,
    view: DataView,
    start: number,
    end: number,
    samples: SampleBuffer,
    window: Window,
  ): void;
}

/** Created when a series needs them. */
const histogramDecoders: Readonly<Record<number, () => ChunkDecoder>> = {
  [encodings.histogram]: () => new HistogramChunkDecoder("integer", false),
  [encodings.floatHistogram]: () => new HistogramChunkDecoder("float", false),
  [encodings.histogramWithStart]: () => new HistogramChunkDecoder("integer", true),
  [encodings.floatHistogramWithStart]: () => new HistogramChunkDecoder("float", true),
};

/**
 * Decodes the chunks of one series at a time. `begin` starts a series, `take` adds a chunk's samples to one
 * of the buffers, and the fields then describe the rest of the chunks. A chunk that cannot be decoded does
 * not affect the others.
 */
export class ReadChunks {
  /** Whether there are chunks in an unknown encoding. */
  hasUnknown = false;
  /** The earliest time in the chunks' metadata, ms. */
  earliestMs = Number.POSITIVE_INFINITY;
  /** The fault of a chunk that could not be decoded. */
  malformed: string | undefined;
  readonly #window: Window;
  readonly #xor = new XorChunkDecoder();
  readonly #xor2 = new Xor2ChunkDecoder();
  readonly #histograms = new Map<number, ChunkDecoder>();

  constructor(window: Window) {
    this.#window = window;
  }

  begin(): void {
    this.hasUnknown = false;
    this.earliestMs = Number.POSITIVE_INFINITY;
    this.malformed = undefined;
  }

  /**
   * @param view of the same memory as `bytes`
   * @throws MalformedMessage when the bytes are not a chunk's message
   */
  take(
    bytes: Buffer,
    view: DataView,
    chunk: MessageCursor,
    numbers: SampleBuffer,
    histograms: SampleBuffer,
  ): void {
    let encoding = 0;
    let minMs = 0;
    let start = 0;
    let end = 0;
    while (chunk.next()) {
      if (chunk.is(1, wireTypes.varint)) minMs = chunk.int64();
      else if (chunk.is(3, wireTypes.varint)) encoding = chunk.int64();
      else if (chunk.is(4, wireTypes.bytes)) {
        start = chunk.start;
        end = chunk.end;
      }
    }
    this.earliestMs = Math.min(this.earliestMs, minMs);
    switch (encoding) {
      case encodings.xor:
        this.#decode(this.#xor, bytes, view, start, end, numbers);
        break;
      case encodings.xor2:
        this.#decode(this.#xor2, bytes, view, start, end, numbers);
        break;
      default: {
        const decoder = this.#histogramDecoder(encoding);
        if (decoder === undefined) this.hasUnknown = true;
        else this.#decode(decoder, bytes, view, start, end, histograms);
      }
    }
  }

  #histogramDecoder(encoding: number): ChunkDecoder | undefined {
    let decoder = this.#histograms.get(encoding);
    if (decoder === undefined) {
      decoder = histogramDecoders[encoding]?.();
      if (decoder !== undefined) this.#histograms.set(encoding, decoder);
    }
    return decoder;
  }

  #decode(
    decoder: ChunkDecoder,
    bytes: Buffer,
    view: DataView,
    start: number,
    end: number,
    samples: SampleBuffer,
  ): void {
    const { length } = samples;
    try {
      decoder.decode(bytes, view, start, end, samples, this.#window);
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      samples.length = length;
      this.malformed = error.message;
    }
  }
}
