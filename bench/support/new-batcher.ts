import { Batcher } from "../../src/exporter/delivery/batch/batcher.ts";
import { SeriesHashTable } from "../../src/exporter/delivery/late/series-hash-table.ts";
import { KnownCollisions } from "../../src/exporter/remote-write/encoding/known-collisions.ts";
import { seriesEncoderFor } from "../../src/exporter/remote-write/encoding/labels.ts";
import type { EncodedRequest } from "../../src/exporter/remote-write/encoding/request.ts";
import { WriteRequestBuilder } from "../../src/exporter/remote-write/encoding/write-request.ts";

/** A batcher with default settings and nothing behind it; invalid series are errors. */
export function newBatcher(maxSamples: number, onRequest: (request: EncodedRequest) => unknown): Batcher {
  return new Batcher(new SeriesHashTable(), {
    encoder: seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" }),
    collisions: new KnownCollisions(),
    newBuilder: () => new WriteRequestBuilder(),
    fromMs: 1_790_000_000_000,
    maxSamples,
    maxBytes: 8 * 2 ** 20,
    laneCount: 4,
    keepsSamples: false,
    timeoutMs: 5_000,
    monotonicMs: () => 0,
    onRequest: ({ request }) => onRequest(request),
    onRefused: ({ message }) => {
      throw new Error(message);
    },
  });
}
