import { Counter, Gauge, Registry } from "prom-client";
import type { ExporterSnapshot } from "./exporter.ts";
import type { MemoryBudget } from "./memory-budget.ts";

const sinkLabels = ["plane", "namespace", "policy", "sink"] as const;

interface SinkMetric {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge";
  /** Undefined where there is nothing to show yet. */
  readonly value: (snapshot: ExporterSnapshot) => number | undefined;
}

const sinkMetrics: readonly SinkMetric[] = [
  {
    name: "telemetryd_sink_samples_read_total",
    help: "Samples read from the metrics store for a sink.",
    kind: "counter",
    value: ({ stats }) => stats.read,
  },
  {
    name: "telemetryd_sink_samples_delivered_total",
    help: "Samples that the receiver has acknowledged.",
    kind: "counter",
    value: ({ stats }) => stats.delivered,
  },
  {
    name: "telemetryd_sink_samples_rejected_total",
    help: "Samples that the receiver refused for good or that cannot be sent.",
    kind: "counter",
    value: ({ stats }) => stats.rejected,
  },
  {
    name: "telemetryd_sink_samples_dropped_total",
    help: "Samples given up after all attempts, under delivery.onExhausted: drop.",
    kind: "counter",
    value: ({ stats }) => stats.dropped,
  },
  {
    name: "telemetryd_sink_samples_unwritten_total",
    help: "Samples that the receiver acknowledged without writing them, by its own count (protocol 2.0).",
    kind: "counter",
    value: ({ stats }) => stats.unwritten,
  },
  {
    name: "telemetryd_sink_samples_repeated_total",
    help: "Samples refused as repeats of a request whose answer was lost.",
    kind: "counter",
    value: ({ stats }) => stats.repeated,
  },
  {
    name: "telemetryd_sink_samples_late_total",
    help: "Samples that came late and were found by delivery.lateness.",
    kind: "counter",
    value: ({ stats }) => stats.late,
  },
  {
    name: "telemetryd_sink_requests_delivered_total",
    help: "Requests that the receiver has acknowledged.",
    kind: "counter",
    value: ({ stats }) => stats.requests,
  },
  {
    name: "telemetryd_sink_retries_total",
    help: "Requests that were sent again.",
    kind: "counter",
    value: ({ stats }) => stats.retries,
  },
  {
    name: "telemetryd_sink_skipped_seconds_total",
    help: "Time given up because it was older than delivery.maxBackfill.",
    kind: "counter",
    value: ({ stats }) => stats.skippedSeconds,
  },
  {
    name: "telemetryd_sink_lag_seconds",
    help: "Settled time minus the sink's oldest checkpoint.",
    kind: "gauge",
    value: ({ lagMs }) => (lagMs === undefined ? undefined : lagMs / 1_000),
  },
  {
    name: "telemetryd_sink_last_delivery_timestamp_seconds",
    help: "When the receiver last acknowledged a request (Unix time).",
    kind: "gauge",
    value: ({ stats }) =>
      stats.lastDeliveredAtMs === undefined ? undefined : stats.lastDeliveredAtMs / 1_000,
  },
  {
    name: "telemetryd_sink_retrying",
    help: "1 while the sink pauses because its attempts were used up.",
    kind: "gauge",
    value: ({ standing }) => Number(standing.kind === "retrying"),
  },
  {
    name: "telemetryd_sink_suspended",
    help: "1 while the endpoint or its credentials are wrong.",
    kind: "gauge",
    value: ({ standing }) => Number(standing.kind === "suspended"),
  },
  {
    name: "telemetryd_sink_sources_failing",
    help: "Sources of the sink that could not be read last time.",
    kind: "gauge",
    value: ({ sources }) => sources.filter(({ error }) => error !== undefined).length,
  },
];

/**
 * The exporters' metrics, computed from their snapshots when they are asked for: the hot path counts in plain numbers,
 * and the series of a sink vanish with it.
 */
export function createExportRegistry(
  snapshots: () => readonly ExporterSnapshot[],
  budget: MemoryBudget,
): Registry {
  const registry = new Registry();
  const ofScrape = onceAtATime(snapshots);
  for (const { name, help, kind, value } of sinkMetrics) {
    const configuration = { name, help, labelNames: sinkLabels, registers: [registry] };
    const fill = (set: (labels: Record<string, string>, amount: number) => void) => {
      for (const snapshot of ofScrape()) {
        const amount = value(snapshot);
        if (amount === undefined) continue;
        const { plane, namespace, name: policy } = snapshot.plan.policy;
        set({ plane, namespace, policy, sink: snapshot.plan.name }, amount);
      }
    };
    if (kind === "counter") {
      forgetWhatWasShown(
        new Counter({
          ...configuration,
          collect() {
            fill((labels, amount) => this.inc(labels, amount));
          },
        }),
      );
    } else {
      forgetWhatWasShown(
        new Gauge({
          ...configuration,
          collect() {
            fill((labels, amount) => this.set(labels, amount));
          },
        }),
      );
    }
  }
  new Gauge({
    name: "telemetryd_export_memory_bytes",
    help: "Memory held by requests in the making and by those that wait to be sent.",
    registers: [registry],
    collect() {
      this.set(budget.usedBytes);
    },
  });
  new Gauge({
    name: "telemetryd_export_memory_limit_bytes",
    help: "The bound of telemetryd_export_memory_bytes (delivery.memoryLimit).",
    registers: [registry],
    collect() {
      this.set(budget.limitBytes);
    },
  });
  return registry;
}

/** prom-client asks all metrics of a scrape in one go: all of them get what the first one was given. */
function onceAtATime<T>(take: () => T): () => T {
  let taken: { readonly value: T } | undefined;
  return () => {
    if (taken === undefined) {
      taken = { value: take() };
      queueMicrotask(() => {
        taken = undefined;
      });
    }
    return taken.value;
  };
}

/**
 * prom-client keeps a label set for each value until it is told otherwise: some 3 KB a sink, from the first scrape on, which
 * with ten thousand sinks is a tenth of the daemon. Also why the series of a sink vanish with it.
 */
function forgetWhatWasShown(metric: Counter | Gauge): void {
  const get = metric.get.bind(metric);
  metric.get = async () => {
    const shown = await get();
    metric.reset();
    return shown;
  };
}
