import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { BacklogCache } from "./backlog-cache.ts";

/** The roadmap cache's metrics, in a registry of its own. */
export interface RoadmapMetrics {
  readonly registry: Registry;
  /** A refresh ended; `result` is replaced, unchanged, skipped, failed or interrupted. */
  refreshed(result: string, seconds: number): void;
  /** A refresh failed with this kind of failure. */
  failed(kind: string): void;
  /** Redis or the file held an unreadable entry. */
  foundInvalid(): void;
}

export function createRoadmapMetrics(cache: () => BacklogCache): RoadmapMetrics {
  const registry = new Registry();
  const registers = [registry];
  const refreshes = new Counter({
    name: "telemetryd_roadmap_refreshes_total",
    help: "Refreshes of the roadmap cache that this process ran, by result.",
    labelNames: ["result"],
    registers,
  });
  const failures = new Counter({
    name: "telemetryd_roadmap_refresh_failures_total",
    help: "Failed refreshes, by the kind of the board's failure.",
    labelNames: ["kind"],
    registers,
  });
  const duration = new Histogram({
    name: "telemetryd_roadmap_refresh_duration_seconds",
    help: "How long refreshes took.",
    buckets: [0.01, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers,
  });
  const invalid = new Counter({
    name: "telemetryd_roadmap_invalid_entries_total",
    help: "Cache entries in Redis that could not be read and were thrown away.",
    registers,
  });
  new Gauge({
    name: "telemetryd_roadmap_items",
    help: "Items in the cached backlog, by status.",
    labelNames: ["status"],
    registers,
    collect() {
      this.reset();
      for (const { status } of cache().backlog()?.items ?? []) this.inc({ status });
    },
  });
  new Gauge({
    name: "telemetryd_roadmap_last_success_timestamp_seconds",
    help: "When the roadmap cache was last refreshed with success, by any replica; 0 if never.",
    registers,
    collect() {
      this.set((cache().status()?.updatedAt ?? 0) / 1_000);
    },
  });
  new Gauge({
    name: "telemetryd_roadmap_refreshing",
    help: "1 while a refresh is in flight in any replica.",
    registers,
    collect() {
      this.set(cache().status()?.isRefreshing === true ? 1 : 0);
    },
  });
  return {
    registry,
    refreshed(result, seconds) {
      refreshes.inc({ result });
      duration.observe(seconds);
    },
    failed: (kind) => failures.inc({ kind }),
    foundInvalid: () => invalid.inc(),
  };
}
