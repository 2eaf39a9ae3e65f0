import { Gauge, Registry } from "prom-client";
import type { MemoryBudget } from "./batch/memory-budget.ts";
import { losesDataInMs } from "./delivering-condition.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";

export const sinkLabels = ["plane", "namespace", "policy", "sink"] as const;

/** Number of lines formatted between two checks of the clock. */
export const linesInPiece = 256;

interface SinkMetric {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge";
  /** Undefined when the sink has no value yet. */
  readonly value: (snapshot: ExporterSnapshot, nowMs: number) => number | undefined;
}

/** In exposition order; each has the labels `sinkLabels`. */
export const sinkMetrics: readonly SinkMetric[] = [
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
    help: "Samples that the receiver refused, after it had accepted others, or that cannot be sent.",
    kind: "counter",
    value: ({ stats }) => stats.rejected,
  },
  {
    name: "telemetryd_sink_samples_rejected_too_old_total",
    help: "Samples rejected without a request of their own, with others that are too old for the receiver.",
    kind: "counter",
    value: ({ stats }) => stats.passed,
  },
  {
    name: "telemetryd_sink_samples_dropped_total",
    help: "Samples dropped since their requests kept failing, under onExhausted: drop, or had the response 429, under retryOn429: false.",
    kind: "counter",
    value: ({ stats }) => stats.dropped,
  },
  {
    name: "telemetryd_sink_samples_relabel_dropped_total",
    help: "Samples not sent, since a relabelling rule drops their series: a choice, not a loss.",
    kind: "counter",
    value: ({ stats }) => stats.droppedByRules,
  },
  {
    name: "telemetryd_sink_samples_unwritten_total",
    help: "Samples that the receiver acknowledged without writing them, by its own count (protocol 2.0).",
    kind: "counter",
    value: ({ stats }) => stats.unwritten,
  },
  {
    name: "telemetryd_sink_samples_repeated_total",
    help: "Samples refused as repeats of a request whose response was lost.",
    kind: "counter",
    value: ({ stats }) => stats.repeated,
  },
  {
    name: "telemetryd_sink_samples_late_total",
    help: "Samples delivered although they reached the store late; also among those delivered.",
    kind: "counter",
    value: ({ stats }) => stats.late,
  },
  {
    name: "telemetryd_sink_samples_late_rejected_total",
    help: "Late samples that the receiver refused; not among those rejected.",
    kind: "counter",
    value: ({ stats }) => stats.lateRejected,
  },
  {
    name: "telemetryd_sink_samples_too_late_total",
    help: "Samples found in the store when they were older than delivery.lateness: not sent.",
    kind: "counter",
    value: ({ stats }) => stats.tooLate,
  },
  {
    name: "telemetryd_sink_samples_vanished_total",
    help: "Samples that were read, and were no longer in the store at a later check.",
    kind: "counter",
    value: ({ stats }) => stats.vanished,
  },
  {
    name: "telemetryd_sink_unchecked_seconds_total",
    help: "Time not checked for late samples, because the record of what was sent then is gone, or no check was possible.",
    kind: "counter",
    value: ({ stats }) => stats.uncheckedSeconds,
  },
  {
    name: "telemetryd_sink_late_checks_total",
    help: "Checks for late samples; each source of the sink counts.",
    kind: "counter",
    value: ({ stats }) => stats.lateChecks,
  },
  {
    name: "telemetryd_sink_late_check_failures_total",
    help: "Checks for late samples that the store did not respond to.",
    kind: "counter",
    value: ({ stats }) => stats.lateCheckFailures,
  },
  {
    name: "telemetryd_sink_late_check_seconds_total",
    help: "Time spent waiting for the store's counts in checks for late samples.",
    kind: "counter",
    value: ({ stats }) => stats.lateCheckSeconds,
  },
  {
    name: "telemetryd_sink_exemplars_sent_total",
    help: "Exemplars sent with a sink's samples; a receiver may ignore them.",
    kind: "counter",
    value: ({ stats }) => stats.exemplars,
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
    help: "Time skipped because it was older than delivery.maxBackfill.",
    kind: "counter",
    value: ({ stats }) => stats.skippedSeconds,
  },
  {
    name: "telemetryd_sink_lag_seconds",
    help: "Age of the sink's newest delivered sample, metrics.delay included.",
    kind: "gauge",
    value: ({ lagMs }) => (lagMs === undefined ? undefined : lagMs / 1_000),
  },
  {
    name: "telemetryd_sink_loses_data_in_seconds",
    help: "Time until the oldest sample that a sink in trouble or behind has not delivered is lost; absent otherwise.",
    kind: "gauge",
    value: (snapshot, nowMs) => {
      const inMs = losesDataInMs(snapshot, nowMs);
      return inMs === undefined ? undefined : Math.floor(inMs / 1_000);
    },
  },
  {
    name: "telemetryd_source_series",
    help: "Series that a sink's sources selected in the last minutes; 0 where the queries match nothing.",
    kind: "gauge",
    value: ({ sources, stats }) => {
      const counts = sources.map(({ name }) => stats.series.of(name)).filter((count) => count !== undefined);
      return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
    },
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
    value: ({ deliveryState }) => Number(deliveryState.kind === "retrying"),
  },
  {
    name: "telemetryd_sink_suspended",
    help: "1 while the endpoint or its credentials are wrong.",
    kind: "gauge",
    value: ({ deliveryState }) => Number(deliveryState.kind === "suspended"),
  },
  {
    name: "telemetryd_sink_sources_failing",
    help: "Sources of the sink that could not be read last time.",
    kind: "gauge",
    value: ({ sources }) => sources.filter(({ error }) => error !== undefined).length,
  },
];

/**
 * The metrics of all sinks in Prometheus' text format, computed from their snapshots on each scrape. The hot
 * path counts in plain numbers, and a sink's series disappear with it. A registry would keep a label set for
 * each value and format all of them in one go.
 *
 * @param nowMs Unix ms
 * @returns whole lines, in pieces of a bounded number of them
 */
export function* sinkExposition(snapshots: readonly ExporterSnapshot[], nowMs: number): Generator<string> {
  const labels: string[] = [];
  for (const [index, { plan }] of snapshots.entries()) {
    const { plane, namespace, name } = plan.policy;
    labels.push(labelText([plane, namespace, name, plan.name]));
    if (index % linesInPiece === linesInPiece - 1) yield "";
  }
  for (const { name, help, kind, value } of sinkMetrics) {
    let piece = `\n# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`;
    for (const [index, snapshot] of snapshots.entries()) {
      const amount = value(snapshot, nowMs);
      if (amount !== undefined) piece += `${name}${labels[index]} ${amount}\n`;
      if (index % linesInPiece !== linesInPiece - 1) continue;
      yield piece;
      piece = "";
    }
    yield piece;
  }
}

/** The labels of one sink's series as text: plane, namespace, policy and sink, or the first of them. */
export function labelText(values: readonly string[]): string {
  return `{${values.map((value, index) => `${sinkLabels[index]}="${escaped(value)}"`).join(",")}}`;
}

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}

/** Metrics of the export's memory. */
export function createExportRegistry(budget: MemoryBudget): Registry {
  const registry = new Registry();
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
