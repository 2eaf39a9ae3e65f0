import { expect, test } from "vitest";
import { builderOf, plainShape } from "../../../../test/support/receiver/encoded.ts";
import {
  histogramBuffer,
  plainHistogram,
  plainLayout,
  type TestLayout,
} from "../../../../test/support/store/histograms.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import { type Protocol, seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { readBody } from "../../remote-write/encoding/request-body.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { Batch } from "./batch.ts";
import { Batcher } from "./batcher.ts";

function newBatcher(protocol: Protocol, maxSamples = 1_000): Batcher {
  return new Batcher(new SeriesHashTable(), {
    encoder: seriesEncoderFor({ ...plainShape, protocol }),
    collisions: new KnownCollisions(),
    newBuilder: () => builderOf(protocol),
    ...{
      fromMs: 0,
      maxSamples,
      maxBytes: 2 ** 20,
      partitionCount: 2,
      timeoutMs: 1_000,
      monotonicMs: () => 0,
    },
  });
}

const series = seriesOf("h");

/** The times of each request's samples. */
function timesIn(batches: readonly Batch[]): number[][] {
  return batches.map(({ request }) =>
    readBody(request).flatMap(({ samples }) => samples.map(({ timestampMs }) => timestampMs)),
  );
}

test("a batch is full by the weight of its histograms; one that is too heavy goes alone", () => {
  const wide: TestLayout = { ...plainLayout, positiveSpans: [{ offset: 0, length: 90 }] };
  const list = [1, 2, 3, 4, 5].map((ms) => ({
    ...plainHistogram(ms),
    positive: new Array<bigint>(90).fill(1n),
  }));
  const samples = histogramBuffer(wide, list);
  const weight = samples.weight(0, 1);
  expect(weight).toBeGreaterThan(5);
  const batches = (most: number) => {
    const batcher = newBatcher("1.0", most);
    return timesIn([...batcher.source("s").add(series, samples), ...batcher.finishAll()]);
  };
  expect(batches(weight * 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(batches(2)).toEqual([[1], [2], [3], [4], [5]]);
});

test.each([
  ["1.0", [[1]], [{ reason: "custom_buckets", samples: 2 }]],
  ["2.0", [[1, 2, 3]], []],
] as const)("custom buckets with protocol %s", (protocol, sent, invalid) => {
  const custom: TestLayout = { ...plainLayout, schema: -53, customValues: [1, 2] };
  const samples = histogramBuffer(plainLayout, [plainHistogram(1)]);
  const others = histogramBuffer(custom, [plainHistogram(2), plainHistogram(3)]);
  const batcher = newBatcher(protocol);
  const source = batcher.source("s");
  source.add(series, samples);
  source.add(series, others);
  expect(timesIn(batcher.finishAll())).toEqual(sent);
  expect(batcher.takeInvalid()).toMatchObject(invalid);
});

test("samples of another kind than the series' last ones go in a later request of its partition", () => {
  const batcher = newBatcher("1.0");
  const source = batcher.source("s");
  const histograms = histogramBuffer(plainLayout, [plainHistogram(3)]);
  const later = samplesAt(4);
  histograms.followsOtherKind = true;
  later.followsOtherKind = true;
  const batches = [samplesAt(1, 2), histograms, later].flatMap((samples) => source.add(series, samples));
  batches.push(...batcher.finishAll());
  expect(timesIn(batches)).toEqual([[1, 2], [3], [4]]);
  expect(new Set(batches.slice(1).map(({ partitions }) => partitions)).size).toBe(1);
});
