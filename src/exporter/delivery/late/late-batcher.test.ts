import { expect, test } from "vitest";
import { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import { seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../remote-write/encoding/write-request.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import type { Batch } from "../batch/batch.ts";
import { seriesHashOf } from "../batch/series-hash.ts";
import { RequestEntries } from "../state/request-entries.ts";
import { LateBatcher } from "./late-batcher.ts";
import { SentBlock } from "./sent-block.ts";
import { SentSamples } from "./sent-samples.ts";

const fromMs = 1_700_000_000_000;
const yieldTurn = () => Promise.resolve();
const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" });
const [first, second, third] = ["first", "second", "third"].map(
  (value) => new Series([{ name: "__name__", value }]),
) as [Series, Series, Series];

function samplesAt(...times: number[]): SampleBuffer {
  const samples = new SampleBuffer();
  samples.reserve(times.length);
  samples.timestampsMs.set(times.map((ms) => fromMs + ms));
  samples.values.fill(1, 0, times.length);
  samples.length = times.length;
  return samples;
}

/** What one block holds: of a source's series, the samples at these times. */
async function sent(source: string, ...list: Array<readonly [Series, ...number[]]>): Promise<SentSamples> {
  const entries = new RequestEntries(fromMs);
  for (const [series, ...times] of list) {
    const hash = seriesHashOf(source, encoder)(series);
    const samples = samplesAt(...times);
    entries.add(hash?.high ?? 0, hash?.low ?? 0, samples, 0, samples.length);
  }
  return SentSamples.of(fromMs, [(await new SentBlock(fromMs).add([entries], yieldTurn))!], yieldTurn);
}

function batcherOf(...blocks: SentSamples[]): LateBatcher {
  return new LateBatcher(blocks, {
    ...{ encoder, fromMs, collisions: new KnownCollisions(), newBuilder: () => new WriteRequestBuilder() },
    ...{ maxSamples: 1_000, maxBytes: 2 ** 20, partitionCount: 1, timeoutMs: 5_000, monotonicMs: () => 0 },
  });
}

/** For each series in the batches, its times after the start. */
function timesIn(batches: readonly Batch[]): number[][] {
  return batches.flatMap(({ entries }) => {
    const times: number[][] = [];
    entries.each((_high, _low, _untilMs, set) => {
      times.push([...entries.timesOf(set)].map((ms) => ms - fromMs));
    });
    return times;
  });
}

test("only samples that no block has are sent, and counted", async () => {
  const batcher = batcherOf(await sent("up", [first, 10, 30], [second, 10]), await sent("up", [first, 50]));
  const source = batcher.source("up");
  expect(source.add(first, samplesAt(10, 20, 30, 40, 50))).toEqual([]);
  expect(source.add(second, samplesAt(10))).toEqual([]);
  expect(source.add(third, samplesAt(5))).toEqual([]);
  expect(batcher.found).toBe(3);
  expect(timesIn(batcher.finishAll())).toEqual([[20, 40], [5]]);
});

test("the same series of another source was not sent by this one", async () => {
  const batcher = batcherOf(await sent("up", [first, 10]));
  batcher.source("other").add(first, samplesAt(10));
  batcher.source("up").add(first, samplesAt(10));
  expect(batcher.found).toBe(1);
  expect(timesIn(batcher.finishAll())).toEqual([[10]]);
});

test("with everything sent, there is no request", async () => {
  const batcher = batcherOf(await sent("up", [first, 10, 20]));
  batcher.source("up").add(first, samplesAt(10, 20));
  expect([batcher.found, batcher.finishAll(), batcher.openBytes]).toEqual([0, [], 0]);
});
