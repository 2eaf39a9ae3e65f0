import type { SampleCounter } from "../../../src/exporter/metrics-store/ports/sample-counter.ts";
import type { SampleReader } from "../../../src/exporter/metrics-store/ports/sample-reader.ts";
import type { SinkStore } from "../../../src/exporter/metrics-store/sink-store.ts";

const noCounts: SampleCounter = { count: async () => ({ kind: "unsupported" }) };

/** A sink's store of a test's own reader, and its counter if it has one. */
export function sinkStore(reader: SampleReader, counter: SampleCounter = noCounts): SinkStore {
  return { kind: "store", reader, counter, probe: async () => undefined };
}
