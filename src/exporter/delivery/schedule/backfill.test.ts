import { expect, test } from "vitest";
import { destinationWith, exporterDeps, sinkPlan } from "../../../../test/support/sink/exporter-deps.ts";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import type { ReadOutcome } from "../../metrics-store/ports/sample-reader.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import { targetSamples } from "../plan/next-window.ts";
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
  const deps = exporterDeps({
    store: sinkStore({ read, storeNowMs: () => undefined }),
    settings: {
      ...{ intervalMs: 15_000, delayMs: 30_000, expressionDelayMs: 60_000, windowGridMs: 15_000 },
      ...{ maxWindowMs: 5 * minuteMs, maxBackfillMs: minuteMs },
    },
    destinationOf: () => destinationWith(async () => ({ kind: "delivered", status: 204 })),
  });
  await backfill(sinkPlan(), { fromMs: 0, toMs: 180 * minuteMs }, deps, () => undefined, never);
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
