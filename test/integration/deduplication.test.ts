import { expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { WindowPlanner } from "../../src/exporter/delivery/plan/window-planner.ts";
import { SinkStates } from "../../src/exporter/delivery/state/sink-states.ts";
import { SinkStats } from "../../src/exporter/delivery/stats/sink-stats.ts";
import { flushVictoriaMetrics, type WrittenSeries, writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { sinkPlan } from "../support/sink/exporter-deps.ts";
import { closeReaders, readAll, readerOf } from "../support/store/store-reads.ts";

/** A VictoriaMetrics that keeps one sample a minute, of two scrapers that take one each ten seconds. */
const forever = new AbortController().signal;
const minuteMs = 60_000;
const baseMs = Math.floor((Date.now() - 1_800_000) / minuteMs) * minuteMs;
const lengthMs = 12 * minuteMs;

function scraped(offsetMs: number): WrittenSeries {
  const samples = Array.from({ length: lengthMs / 10_000 }, (_, index) => ({
    timestampMs: baseMs + index * 10_000 + offsetMs,
    value: index + offsetMs,
  }));
  return { labels: [{ name: "__name__", value: "m" }], samples };
}

let store: RunningServer;

setUpAll(async ({ keep, onEnd }) => {
  onEnd(closeReaders);
  store = await keep(startVictoriaMetrics({ dedupInterval: "60s" }));
  await writeToVictoriaMetrics(store.url, [scraped(3_000), scraped(7_000)], forever);
  await flushVictoriaMetrics(store.url, forever);
});
test("the windows together hold what the store shows, and its counts are equal", async () => {
  const reader = readerOf(store.url);
  const whole = await readAll(reader, { selector: "m", window: { fromMs: baseMs, toMs: baseMs + lengthMs } });
  const shown = whole.series.flatMap(({ times }) => times);
  expect(shown).toHaveLength(lengthMs / minuteMs);

  let nowMs = baseMs;
  const state = new SinkStates();
  const settings = {
    ...{ intervalMs: 15_000, delayMs: 30_000, expressionDelayMs: 60_000, windowGridMs: 1_000 },
    ...{ maxWindowMs: 300_000, maxBackfillMs: 86_400_000, startFromMs: 0 },
  };
  const plan = sinkPlan({ sources: [{ name: "s", metricsql: "m" }] });
  const deps = { state, settings, clock: systemClock, log: silentLogger, tenantOf: () => undefined };
  const planner = new WindowPlanner("sink", plan, deps, new SinkStats(0));
  const sinkStore = {
    ...{ kind: "store" as const, counter: reader.counter, probe: async () => undefined },
    reader: { read: reader.read.bind(reader), storeNowMs: () => nowMs },
    dedupIntervalMs: () => reader.dedupIntervalMs(),
  };
  const exported: number[] = [];
  for (; nowMs <= baseMs + lengthMs + settings.delayMs; nowMs += settings.intervalMs) {
    await planner.begin(nowMs, sinkStore);
    for (;;) {
      const window = await planner.next(new Set(), forever);
      if (window === undefined) break;
      // As at that time: the store has nothing newer yet.
      const { series } = await readAll(reader, { selector: "m", window });
      exported.push(...series.flatMap(({ times }) => times));
      await state.setCheckpoint("sink", "s", window.toMs);
    }
  }
  expect(exported).toEqual(shown);

  const stepMs = 15_000;
  const window = { fromMs: baseMs, toMs: baseMs + lengthMs - stepMs };
  const counted = await reader.counter.count(
    { selector: "m", window, stepMs, of: "samples", owner: "" },
    forever,
  );
  const counts = Array.from({ length: (window.toMs - window.fromMs) / stepMs }, (_, index) => {
    const endMs = window.fromMs + (index + 1) * stepMs;
    return shown.filter((ms) => ms > endMs - stepMs && ms <= endMs).length;
  });
  expect(counted).toMatchObject({ kind: "counts", counts });
});

test("of an interval that a window cuts, only what the store shows of it is read", async () => {
  const reader = readerOf(store.url);
  const { series } = await readAll(reader, {
    selector: "m",
    window: { fromMs: baseMs, toMs: baseMs + 90_000 },
  });
  expect(series.flatMap(({ times }) => times)).toEqual([baseMs + 57_000]);
});
