import { expect, test } from "vitest";
import { type Clock, systemClock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/core/log.ts";
import type { SampleReader } from "../../metrics-store/sample-reader.ts";
import { KnownCollisions } from "../../remote-write/encoding/known-collisions.ts";
import { seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../remote-write/encoding/write-request.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import type { Sender } from "../../remote-write/send/outcome.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import { MemoryBudget } from "../batch/memory-budget.ts";
import { SinkStats } from "../sink-stats.ts";
import { MemoryState } from "../state/memory-state.ts";
import { WindowExport } from "./window-export.ts";

const complete = {
  kind: "complete",
  series: 0,
  samples: 0,
  bytes: 0,
  durationMs: 1,
  invalidLines: 0,
} as const;

interface Parts {
  readonly state: MemoryState;
  readonly read: SampleReader["read"];
  readonly send?: Sender["send"];
  readonly newBuilder?: () => WriteRequestBuilder;
  readonly mayGo?: Promise<boolean>;
  readonly clock?: Clock;
  readonly maxSize?: number;
}

function runOf({ state, read, clock = systemClock, ...parts }: Parts): WindowExport {
  const never = new AbortController().signal;
  const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" });
  const send = parts.send ?? (() => Promise.reject(new Error("nothing to send")));
  return new WindowExport(
    { fromMs: 10, toMs: 20, sources: ["a"], open: undefined },
    {
      sink: "sink",
      sources: new Map([["a", { name: "a", metricsql: "up" }]]),
      tenant: undefined,
      owner: "",
      batch: { timeoutMs: 50, maxSize: parts.maxSize ?? 10 },
      laneCount: 1,
      dropExhausted: false,
      reader: { storeNowMs: () => 30, read },
      collisions: new KnownCollisions(),
      stepMs: 1,
      endpoint: "http://127.0.0.1/write",
      destination: {
        kind: "destination",
        sender: { send, close: async () => undefined },
        state: new EndpointState("1.0"),
        encoder: () => encoder,
        newBuilder: parts.newBuilder ?? ((onCapacity) => new WriteRequestBuilder(onCapacity)),
      },
      rejected: { add: async () => undefined },
      refusals: { isHopeless: false },
      state,
      late: undefined,
      share: new MemoryBudget(2 ** 20).openShare(),
      stats: new SinkStats(0),
      clock,
      log: silentLogger,
    },
    {
      turn: {
        mayGo: parts.mayGo ?? Promise.resolve(true),
        onReading: () => undefined,
        onNearlyDelivered: () => undefined,
      },
      isProbe: false,
      interrupt: never,
      signal: never,
      onRead: () => undefined,
    },
  );
}

/** A state store with a checkpoint at the window's start. */
async function newState(): Promise<MemoryState> {
  const state = new MemoryState();
  await state.setCheckpoint("sink", "a", 10);
  return state;
}

test.each([
  { mayGo: true, kind: "closed", checkpointMs: 20 },
  { mayGo: false, kind: "unfinished", checkpointMs: 10 },
])("a window without samples that is read ahead closes with its turn: $mayGo", async (expected) => {
  const state = await newState();
  let takeTurn = (_: boolean) => {};
  const mayGo = new Promise<boolean>((resolve) => {
    takeTurn = resolve;
  });
  const result = runOf({ state, mayGo, read: async () => complete }).run();
  await new Promise((resolve) => setImmediate(resolve));
  expect((await state.load("sink")).checkpoints.get("a")).toBe(10);
  takeTurn(expected.mayGo);
  expect((await result).kind).toBe(expected.kind);
  expect((await state.load("sink")).checkpoints.get("a")).toBe(expected.checkpointMs);
});

/** The system's clock, with a count of sleepers. */
class WatchedClock implements Clock {
  sleeping = 0;
  nowMs = systemClock.nowMs;
  monotonicMs = systemClock.monotonicMs;

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.sleeping++;
    try {
      await systemClock.sleep(ms, signal);
    } finally {
      this.sleeping--;
    }
  }
}

function samplesAt(...timesMs: number[]): SampleBuffer {
  const samples = new SampleBuffer();
  samples.reserve(timesMs.length);
  for (const [index, timeMs] of timesMs.entries()) {
    samples.timestampsMs[index] = timeMs;
    samples.values[index] = 1;
  }
  samples.length = timesMs.length;
  return samples;
}

const series = new Series([{ name: "__name__", value: "up" }]);
const delivered = { kind: "delivered", status: 204 } as const;

/** Fails as soon as it has to finish a body. */
class BrokenBuilder extends WriteRequestBuilder {
  override finish(): never {
    throw new Error("the encoder is broken");
  }
}

test.each<[string, Pick<Parts, "read" | "newBuilder">, string]>([
  [
    "the reader",
    {
      read: async (_, consumer) => {
        consumer.onSeries(series, samplesAt(11));
        throw new Error("the reader is broken");
      },
    },
    "the reader is broken",
  ],
  [
    "the encoder, at the end of the reading",
    {
      read: async (_, consumer) => {
        consumer.onSeries(series, samplesAt(11));
        return complete;
      },
      newBuilder: () => new BrokenBuilder(),
    },
    "the encoder is broken",
  ],
  [
    "the encoder, when the first sample has waited long enough",
    {
      read: async (_, consumer, signal) => {
        consumer.onSeries(series, samplesAt(11));
        await systemClock.sleep(10_000, signal);
        return complete;
      },
      newBuilder: () => new BrokenBuilder(),
    },
    "the encoder is broken",
  ],
])("a fault of %s ends the window and all that belongs to it", async (_, parts, message) => {
  const state = await newState();
  const clock = new WatchedClock();
  const sent: unknown[] = [];
  const send = async (request: unknown) => {
    sent.push(request);
    return delivered;
  };
  await expect(runOf({ state, clock, send, ...parts }).run()).rejects.toThrow(message);
  expect(clock.sleeping).toBe(0);
  await systemClock.sleep(150, new AbortController().signal);
  expect(sent).toEqual([]);
  expect((await state.load("sink")).checkpoints.get("a")).toBe(10);
});

test("nothing is sent past a request whose sending failed of itself: the next run would skip its samples", async () => {
  const state = await newState();
  const sent: number[] = [];
  const run = runOf({
    state,
    maxSize: 1,
    read: async (_, consumer) => {
      consumer.onSeries(series, samplesAt(11, 12, 13));
      return complete;
    },
    send: async ({ minMs }) => {
      sent.push(minMs);
      if (minMs === 12) throw new Error("the sender is broken");
      return delivered;
    },
  });
  await expect(run.run()).rejects.toThrow("the sender is broken");
  expect(sent).toEqual([11, 12]);
});
