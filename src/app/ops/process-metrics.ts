import { collectDefaultMetrics, Gauge, Registry } from "prom-client";

/**
 * Sampling interval of the event loop's delay, in ms. Each sample wakes an idle process, which at the
 * library's default rate dominates its CPU time (bench/idle.ts).
 */
const eventLoopSampleMs = 2_000;

/**
 * The process's own metrics (CPU, memory, event loop, open files, garbage collection) and its build
 * information. Created once per process, since it observes the event loop from then on.
 */
export function createProcessRegistry(version: string): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: eventLoopSampleMs });
  for (const name of misnamed) registry.removeSingleMetric(name);
  new Gauge({
    name: "telemetryd_build_info",
    help: "Always 1; the labels name the build and the version of Node.js.",
    labelNames: ["version", "node_version"],
    registers: [registry],
  }).set({ version, node_version: process.version }, 1);
  return registry;
}

/** Gauges named `_total`, against Prometheus' conventions, and duplicates of nodejs_active_resources. */
const misnamed = [
  "nodejs_active_resources_total",
  "nodejs_active_handles",
  "nodejs_active_handles_total",
  "nodejs_active_requests",
  "nodejs_active_requests_total",
];
