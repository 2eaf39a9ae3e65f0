import { uncompressSync } from "snappy";
import { expect, test } from "vitest";
import { remoteWrite1 } from "../../../../test/support/receiver/protocol.ts";
import { MemorySentLog } from "../../../../test/support/sink/memory-sent-log.ts";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { SampleReader } from "../../metrics-store/ports/sample-reader.ts";
import { seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../remote-write/encoding/write-request.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../exporter.ts";
import type { LateDeps } from "../late/late-samples.ts";
import { SinkStates } from "../state/sink-states.ts";
import { MemoryBudget } from "./memory-budget.ts";

const periodMs = 10_000;

/**
 * A sink that drops the label `pod`; its store has two pods and a third series, with a sample per second
 * each.
 */
function newSink(late?: LateDeps, counter?: SampleCounter) {
  const world = { nowMs: 1_000_000, reads: 0, delivered: [] as number[] };
  const pods = ["a", "b"].map(
    (pod) =>
      new Series([
        { name: "__name__", value: "up" },
        { name: "pod", value: pod },
      ]),
  );
  const other = new Series([{ name: "__name__", value: "other" }]);
  const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: ["pod"], protocol: "1.0" });
  const clock: Clock = {
    nowMs: () => world.nowMs,
    monotonicMs: () => world.nowMs,
    sleep: (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  };
  const reader: SampleReader = {
    storeNowMs: () => world.nowMs,
    read: async ({ window }, consumer) => {
      // The store returns its series in another order each time.
      const order = world.reads++ % 2 === 0 ? [...pods, other] : [other, ...pods.toReversed()];
      const samples = new SampleBuffer();
      samples.reserve(100);
      for (let ms = window.fromMs + 1_000; ms <= window.toMs; ms += 1_000) {
        samples.timestampsMs[samples.length] = ms;
        samples.values[samples.length] = 1;
        samples.length++;
      }
      for (const series of order) consumer.onSeries(series, samples);
      const count = samples.length * order.length;
      return { kind: "complete", series: 3, samples: count, bytes: 0, durationMs: 1, invalidLines: 0 };
    },
  };
  const deps: ExporterDeps = {
    storeOf: () => sinkStore(reader, counter),
    rejected: { add: async () => undefined },
    state: new SinkStates(),
    late,
    budget: new MemoryBudget(2 ** 20),
    settings: {
      intervalMs: 1_000,
      delayMs: 0,
      expressionDelayMs: 0,
      windowGridMs: 1,
      maxWindowMs: periodMs,
      maxBackfillMs: Infinity,
      startFromMs: 0,
      partitionCount: 2,
      onExhausted: "replay",
    },
    clock,
    random: () => 0,
    log: silentLogger,
    tenantOf: () => undefined,
    destinationOf: () => ({
      kind: "destination",
      sender: {
        close: async () => undefined,
        send: async ({ payload }) => {
          const body = uncompressSync(payload, { asBuffer: true }) as Buffer;
          const { timeseries } = remoteWrite1.WriteRequest.decode(body);
          for (const { labels, samples } of timeseries!) {
            if (labels![0]!.value !== "up") continue;
            world.delivered.push(...samples!.map(({ timestamp }) => Number(timestamp)));
          }
          return { kind: "delivered", status: 204 };
        },
      },
      state: new EndpointState("1.0"),
      encoder: () => encoder,
      newBuilder: (onCapacity) => new WriteRequestBuilder(onCapacity),
    }),
  };
  const plan = {
    policy: { plane: "directory", namespace: "default", name: "export", uid: "-" },
    generation: 1,
    name: "sink",
    sources: [{ name: "all", metricsql: '{__name__!=""}' }],
    endpoint: "http://127.0.0.1/write",
    batch: { timeoutMs: 5_000, maxSize: 1_000, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1 },
    paused: false,
  };
  const exporter = new Exporter(plan, deps);
  const never = new AbortController().signal;
  const cycle = async () => {
    await exporter.cycle(new Interruption(), never);
    world.nowMs += periodMs;
  };
  return { world, cycle, stats: () => exporter.snapshot().stats };
}

test("of two series that become one, none is delivered in the windows after the one in which they met", async () => {
  const { world, cycle } = newSink();
  // The first cycle fixes the starting point.
  for (let turn = 0; turn < 6; turn++) await cycle();
  expect(world.reads).toBe(5);
  expect(world.delivered.filter((ms) => ms > 1_000_000 + periodMs)).toEqual([]);
});

test("a reading for late samples takes neither of them for a late one", async () => {
  const lateDeps: LateDeps = {
    sent: new MemorySentLog(1_000),
    times: { horizonMs: 3_600_000, delayMs: 0, quietMs: periodMs, alertMs: periodMs },
    isShared: false,
  };
  const counter: SampleCounter = {
    // Always one more than was read.
    count: async ({ window, of }) => {
      const counts = new Array<number>((window.toMs - window.fromMs) / 1_000).fill(4);
      return of === "samples" ? { kind: "counts", counts, startedMs: Infinity } : { kind: "unsupported" };
    },
  };
  const { world, cycle, stats } = newSink(lateDeps, counter);
  for (let turn = 0; turn < 8; turn++) await cycle();
  expect(world.reads).toBeGreaterThan(8);
  expect(world.delivered.filter((ms) => ms > 1_000_000 + periodMs)).toEqual([]);
  const { late, rejected } = stats();
  // Seven windows of ten samples: both series of the pair, except the one sent in the first window.
  expect({ late, rejected }).toEqual({ late: 0, rejected: 2 * 7 * 10 - 10 });
});
