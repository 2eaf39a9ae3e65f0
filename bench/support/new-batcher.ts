import { Batcher } from "../../src/exporter/delivery/batch/batcher.ts";
import type { ReadConsumer } from "../../src/exporter/metrics-store/ports/sample-reader.ts";
import type { RelabelRule } from "../../src/exporter/relabel/rule.ts";
import { KnownCollisions } from "../../src/exporter/remote-write/encoding/known-collisions.ts";
import { seriesEncoderFor } from "../../src/exporter/remote-write/encoding/labels.ts";
import type { EncodedRequest } from "../../src/exporter/remote-write/encoding/request.ts";
import { WriteRequestBuilder } from "../../src/exporter/remote-write/encoding/write-request.ts";
import { SeriesHashTable } from "../../src/exporter/series/series-hash-table.ts";

/** A batcher with default settings that passes its requests on; invalid series are errors. */
export function newBatcher(
  maxSamples: number,
  onRequest: (request: EncodedRequest) => unknown,
  relabel?: readonly RelabelRule[],
) {
  const batcher = new Batcher(new SeriesHashTable(), {
    encoder: seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0", relabel }),
    collisions: new KnownCollisions(),
    newBuilder: () => new WriteRequestBuilder(),
    fromMs: 1_790_000_000_000,
    maxSamples,
    maxBytes: 8 * 2 ** 20,
    partitionCount: 4,
    timeoutMs: 5_000,
    monotonicMs: () => 0,
  });
  return {
    source(name: string): ReadConsumer {
      const source = batcher.source(name);
      return {
        onSeries: (series, samples) => {
          for (const { request } of source.add(series, samples)) onRequest(request);
        },
      };
    },
    finishAll(): void {
      for (const { request } of batcher.finishAll()) onRequest(request);
      for (const { message } of batcher.takeInvalid()) throw new Error(message);
    },
  };
}
