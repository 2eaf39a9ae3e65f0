import type { Exemplar } from "../../series/exemplar.ts";
import type { EncodedSeries, SampleBuffer } from "../../series/series.ts";
import type { Protocol } from "./labels.ts";

/**
 * A finished request body. Immutable: it waits in a partition, and may be sent repeatedly, split, or kept as
 * rejected.
 */
export interface EncodedRequest {
  /** Compressed with snappy's block format, unless `compression` says otherwise. */
  readonly payload: Buffer;
  /** Of a receiver that takes it. What is kept, or was split, has snappy's. */
  readonly compression?: "zstd";
  readonly protocol: Protocol;
  readonly sampleCount: number;
  /** Number of `TimeSeries` messages in the body. */
  readonly seriesCount: number;
  readonly uncompressedBytes: number;
  /** Earliest and latest timestamp, Unix epoch, ms. */
  readonly minMs: number;
  readonly maxMs: number;
  /** Absent when it has no exemplars. */
  readonly hasExemplars?: true;
}

/** Called a few times per request, for each change (bytes, negative when released) of a body's memory. */
export type CapacityListener = (changeBytes: number) => void;

/** Collects series into one request body after another; an instance is reused. */
export interface RequestBuilder {
  readonly sampleCount: number;
  /** The samples' weight, by which a batch is full; see `SampleBuffer.weight`. */
  readonly weight: number;
  readonly seriesCount: number;
  /** Uncompressed size of the body so far. */
  readonly byteLength: number;
  /** Infinity and -Infinity while it is empty. */
  readonly minMs: number;
  readonly maxMs: number;
  /**
   * Adds the samples from `start` up to, not including, `end`, in time order. Their bits are preserved.
   *
   * @param exemplars of the series, in time order
   */
  append(
    encoded: EncodedSeries,
    samples: SampleBuffer,
    start: number,
    end: number,
    exemplars?: readonly Exemplar[],
  ): void;
  /** Compresses the appended samples into a new body, and empties the builder. */
  finish(): EncodedRequest;
  /** Empties the builder and discards its content. */
  reset(): void;
}
