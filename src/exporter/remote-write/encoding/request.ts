import type { SampleBuffer } from "../../series/series.ts";
import type { EncodedSeries, Protocol } from "./labels.ts";

/** A finished request body. Immutable: it waits in a lane, may be sent several times, split, or kept as rejected. */
export interface EncodedRequest {
  /** Compressed with snappy's block format. */
  readonly payload: Buffer;
  readonly protocol: Protocol;
  readonly sampleCount: number;
  /** `TimeSeries` messages in the body. */
  readonly seriesCount: number;
  readonly uncompressedBytes: number;
  /** Earliest and latest timestamp, Unix epoch, ms. */
  readonly minMs: number;
  readonly maxMs: number;
}

/** Told of each change (bytes, negative when it is given back) of the memory in which a body is built: a few times a request. */
export type CapacityListener = (changeBytes: number) => void;

/** Collects series into one request body after another; one instance is used again and again. */
export interface RequestBuilder {
  readonly sampleCount: number;
  readonly seriesCount: number;
  /** Size of the body so far, uncompressed. */
  readonly byteLength: number;
  /** Infinity and -Infinity while it is empty. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Adds the samples from `start` up to, not including, `end`, in time order. Their bits arrive as they are. */
  append(encoded: EncodedSeries, samples: SampleBuffer, start: number, end: number): void;
  /** Compresses what was appended into a body of its own, and empties the builder. */
  finish(): EncodedRequest;
  /** Empties the builder: what was appended is given up. */
  reset(): void;
}
