import { expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import { silentLogger } from "../core/log.ts";
import { EndpointState } from "../remote-write/endpoint-state.ts";
import { seriesEncoderFor } from "../remote-write/labels.ts";
import { WriteRequestBuilder } from "../remote-write/write-request.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { MemoryState } from "./memory-state.ts";
import { SinkStats } from "./sink-stats.ts";
import { WindowRun } from "./window-run.ts";

test.each([
  { mayGo: true, kind: "closed", checkpointMs: 20 },
  { mayGo: false, kind: "unfinished", checkpointMs: 10 },
])("a window without samples that is read ahead closes with its turn: $mayGo", async (expected) => {
  const state = new MemoryState();
  await state.setCheckpoint("sink", "a", 10);
  let takeTurn = (_: boolean) => {};
  const mayGo = new Promise<boolean>((resolve) => {
    takeTurn = resolve;
  });
  const never = new AbortController().signal;
  const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" });
  const run = new WindowRun(
    { fromMs: 10, toMs: 20, sources: ["a"], open: undefined },
    {
      sink: "sink",
      sources: new Map([["a", { name: "a", metricsql: "up" }]]),
      tenant: undefined,
      owner: "",
      batch: { timeoutMs: 1_000, maxSize: 10 },
      laneCount: 1,
      dropExhausted: false,
      reader: {
        storeNowMs: () => 30,
        read: async () => ({
          kind: "complete",
          series: 0,
          samples: 0,
          bytes: 0,
          durationMs: 1,
          refusedLines: 0,
        }),
      },
      stepMs: 1,
      endpoint: "http://127.0.0.1/write",
      connection: {
        kind: "connected",
        sender: { send: () => Promise.reject(new Error("nothing to send")), close: async () => undefined },
        state: new EndpointState("1.0"),
        encoder: () => encoder,
        newBuilder: (onCapacity) => new WriteRequestBuilder(onCapacity),
      },
      rejected: { add: async () => undefined },
      refusals: { isHopeless: false },
      state,
      late: undefined,
      share: new MemoryBudget(2 ** 20).openShare(),
      stats: new SinkStats(0),
      clock: systemClock,
      log: silentLogger,
    },
    {
      turn: { mayGo, onReading: () => undefined, onNearlyDelivered: () => undefined },
      isProbe: false,
      interrupt: never,
      signal: never,
      onRead: () => undefined,
    },
  );
  const result = run.run();
  await new Promise((resolve) => setImmediate(resolve));
  expect((await state.load("sink")).checkpoints.get("a")).toBe(10);
  takeTurn(expected.mayGo);
  expect((await result).kind).toBe(expected.kind);
  expect((await state.load("sink")).checkpoints.get("a")).toBe(expected.checkpointMs);
});
