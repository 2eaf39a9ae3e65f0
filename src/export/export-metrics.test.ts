import { expect, test } from "vitest";
import { createExportRegistry } from "./export-metrics.ts";
import type { ExporterSnapshot } from "./exporter.ts";
import { MemoryBudget } from "./memory-budget.ts";
import { SinkStats } from "./sink-stats.ts";
import { delivering } from "./standing.ts";

test("each scrape takes one snapshot of the sinks, for all of its metrics", async () => {
  const stats = new SinkStats(0);
  const snapshot: ExporterSnapshot = {
    plan: {
      policy: { plane: "directory", namespace: "default", name: "export", uid: "-" },
      generation: 1,
      name: "sink",
      sources: [],
      endpoint: "http://r.example.com/",
      batch: { timeoutMs: 1, maxSize: 1 },
      retry: { maxAttempts: 1, backoffMs: 1 },
      paused: false,
    },
    standing: delivering,
    sources: [],
    lagMs: 1_000,
    periodMs: 1_000,
    stats,
  };
  let taken = 0;
  const registry = createExportRegistry(() => {
    taken++;
    return [snapshot];
  }, new MemoryBudget(1));
  for (const read of [3, 5]) {
    stats.read = read;
    const text = await registry.metrics();
    expect(text).toContain(
      `telemetryd_sink_samples_read_total{plane="directory",namespace="default",policy="export",sink="sink"} ${read}`,
    );
    expect(text).toContain("telemetryd_sink_lag_seconds{");
  }
  expect(taken).toBe(2);
});
