import { Gauge, Registry } from "prom-client";
import type { MemoryBudget } from "./batch/memory-budget.ts";
import { losesDataInMs } from "./delivering-condition.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";
import type { SinkStats } from "./stats/sink-stats.ts";

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

/** The counters, each with the field of the sink's stats that it shows. */
const counters: Readonly<Record<string, readonly [field: CountedField, help: string]>> = {
  telemetryd_sink_samples_read_total: ["read", "Samples read from the metrics store for a sink."],
  telemetryd_sink_samples_delivered_total: ["delivered", "Samples that the receiver has acknowledged."],
  telemetryd_sink_samples_rejected_total: [
    "rejected",
    "Samples that the receiver refused, after it had accepted others, or that cannot be sent.",
  ],
  telemetryd_sink_samples_rejected_too_old_total: [
    "passed",
    "Samples rejected without a request of their own, with others that are too old for the receiver.",
  ],
  telemetryd_sink_samples_dropped_total: [
    "dropped",
    "Samples dropped since their requests kept failing, under onExhausted: drop, or had the response 429, under retryOn429: false.",
  ],
  telemetryd_sink_samples_relabel_dropped_total: [
    "droppedByRules",
    "Samples not sent, since a relabelling rule drops their series: a choice, not a loss.",
  ],
  telemetryd_sink_samples_unwritten_total: [
    "unwritten",
    "Samples that the receiver acknowledged without writing them, by its own count (protocol 2.0).",
  ],
  telemetryd_sink_samples_repeated_total: [
    "repeated",
    "Samples refused as repeats of a request whose response was lost.",
  ],
  telemetryd_sink_samples_late_total: [
    "late",
    "Samples delivered although they reached the store late; also among those delivered.",
  ],
  telemetryd_sink_samples_late_rejected_total: [
    "lateRejected",
    "Late samples that the receiver refused; not among those rejected.",
  ],
  telemetryd_sink_samples_too_late_total: [
    "tooLate",
    "Samples found in the store when they were older than delivery.lateness: not sent.",
  ],
  telemetryd_sink_samples_vanished_total: [
    "vanished",
    "Samples that were read, and were no longer in the store at a later check.",
  ],
  telemetryd_sink_unchecked_seconds_total: [
    "uncheckedSeconds",
    "Time not checked for late samples, because the record of what was sent then is gone, or no check was possible.",
  ],
  telemetryd_sink_late_checks_total: [
    "lateChecks",
    "Checks for late samples; each source of the sink counts.",
  ],
  telemetryd_sink_late_check_failures_total: [
    "lateCheckFailures",
    "Checks for late samples that the store did not respond to.",
  ],
  telemetryd_sink_late_check_seconds_total: [
    "lateCheckSeconds",
    "Time spent waiting for the store's counts in checks for late samples.",
  ],
  telemetryd_sink_exemplars_sent_total: [
    "exemplars",
    "Exemplars sent with a sink's samples; a receiver may ignore them.",
  ],
  telemetryd_sink_requests_delivered_total: ["requests", "Requests that the receiver has acknowledged."],
  telemetryd_sink_retries_total: ["retries", "Requests that were sent again."],
  telemetryd_sink_skipped_seconds_total: [
    "skippedSeconds",
    "Time skipped because it was older than delivery.maxBackfill.",
  ],
};

/** A field of the stats that is a number. */
type CountedField = {
  [Field in keyof SinkStats]: SinkStats[Field] extends number ? Field : never;
}[keyof SinkStats];

/** In exposition order; each has the labels `sinkLabels`. */
export const sinkMetrics: readonly SinkMetric[] = [
  ...Object.entries(counters).map(
    ([name, [field, help]]): SinkMetric => ({
      name,
      help,
      kind: "counter",
      value: ({ stats }) => stats[field],
    }),
  ),
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
