import { expect, test } from "vitest";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import { systemClock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { ReadOutcome } from "../../metrics-store/ports/sample-reader.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import { seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../remote-write/encoding/write-request.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import { MemoryBudget } from "../batch/memory-budget.ts";
import { targetSamples } from "../plan/next-window.ts";
import { SinkStates } from "../state/sink-states.ts";
import { backfill } from "./backfill.ts";

const minuteMs = 60_000;
const never = new AbortController().signal;

/** The lengths, in minutes, of the windows that a backfill of three hours reads at this sample rate. */
async function windowsOf(samplesPerMinute: number): Promise<number[]> {
  const windows: Window[] = [];
  const read = async ({ window }: { window: Window }): Promise<ReadOutcome> => {
    windows.push(window);
    const samples = ((window.toMs - window.fromMs) / minuteMs) * samplesPerMinute;
    return { kind: "complete", series: 0, samples, bytes: 0, durationMs: 1, invalidLines: 0 };
  };
  const plan = {
    policy: { plane: "directory", namespace: "default", name: "export", uid: "-" },
    generation: 1,
    name: "sink",
    sources: [{ name: "source", metricsql: "up" }],
    endpoint: "http://127.0.0.1/write",
    batch: { timeoutMs: 5_000, maxSize: 500, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1 },
    paused: false,
  };
  const deps = {
    storeOf: () => sinkStore({ read, storeNowMs: () => undefined }),
    rejected: { add: async () => undefined },
    state: new SinkStates(),
    budget: new MemoryBudget(2 ** 20),
    settings: {
      intervalMs: 15_000,
      delayMs: 30_000,
      expressionDelayMs: 60_000,
      windowGridMs: 15_000,
      maxWindowMs: 5 * minuteMs,
      maxBackfillMs: minuteMs,
      startFromMs: 0,
      partitionCount: 1,
      latenessMs: 0,
      onExhausted: "replay" as const,
    },
    clock: systemClock,
    random: () => 0,
    log: silentLogger,
    tenantOf: () => undefined,
    destinationOf: () => ({
      kind: "destination" as const,
      sender: {
        close: async () => undefined,
        send: async () => ({ kind: "delivered" as const, status: 204 }),
      },
      state: new EndpointState("1.0"),
      encoder: () => seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" }),
      newBuilder: () => new WriteRequestBuilder(),
    }),
  };
  await backfill(plan, { fromMs: 0, toMs: 180 * minuteMs }, deps, () => undefined, never);
  expect(windows[0]?.fromMs).toBe(0);
  expect(windows.at(-1)?.toMs).toBe(180 * minuteMs);
  for (const [index, { fromMs }] of windows.slice(1).entries()) expect(fromMs).toBe(windows[index]?.toMs);
  return windows.map(({ fromMs, toMs }) => (toMs - fromMs) / minuteMs);
}

test("windows grow to twelve times delivery.maxWindow while reading them is quick", async () => {
  const minutes = await windowsOf(1_000);
  expect(minutes[0]).toBe(5);
  expect(Math.max(...minutes)).toBe(60);
  expect(minutes.length).toBeLessThan(10);
});

test("windows of a large store stay as short as those of the daemon", async () => {
  const minutes = await windowsOf(targetSamples / 10);
  expect(Math.max(...minutes)).toBe(5);
});
