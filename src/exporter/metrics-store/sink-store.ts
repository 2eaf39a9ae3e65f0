import type { SampleCounter } from "./ports/sample-counter.ts";
import type { SampleReader } from "./ports/sample-reader.ts";
import type { MetricMetadata } from "./samples/metadata-decoder.ts";
import type { StoreReader } from "./store-reader.ts";

/**
 * The metrics store as one sink may read it: bound to the sink's tenant where the store has tenants of its
 * own, so that no request has to name it.
 */
export interface SinkStore {
  readonly kind: "store";
  readonly reader: SampleReader;
  readonly counter: SampleCounter;
  /** The store keeps one sample of each such interval (ms); absent or 0: all of them. Never fails. */
  dedupIntervalMs?(): Promise<number>;
  /** How long the store keeps samples (ms); absent or undefined: not known. */
  retentionMs?(): number | undefined;
  /** Requests a response from the store, so that its time is known. @returns the failure, or undefined */
  probe(signal: AbortSignal): Promise<string | undefined>;
  /** Absent: none is sent. */
  readonly metadata?: StoreMetadata | undefined;
}

/** Type, help and unit of the metrics of a store. */
export interface StoreMetadata {
  /** Changes with the metadata; 0 while there is none. */
  version(): number;
  /** The metadata of a series' family, by the series' name. */
  lookup(metricName: string): MetricMetadata | undefined;
}

/** The sink must not read: its tenant is not known. */
export interface NoStore {
  readonly kind: "none";
  /** The reason, and what to do: for the policy's owner too. */
  readonly message: string;
}

export function sinkStoreOf(reader: StoreReader, metadata: StoreMetadata): SinkStore {
  return {
    kind: "store",
    reader,
    counter: reader.counter,
    dedupIntervalMs: () => reader.dedupIntervalMs(),
    retentionMs: () => reader.retentionMs(),
    probe: (signal) => reader.probe(signal),
    metadata,
  };
}
