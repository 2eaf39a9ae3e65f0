import { join } from "node:path";
import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import { logErrors, runLoop } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import { version } from "../../base/core/version.ts";
import type { Logger } from "../../base/log/log.ts";
import { MemoryBudget } from "../../exporter/delivery/batch/memory-budget.ts";
import { createExportRegistry, sinkExposition } from "../../exporter/delivery/export-metrics.ts";
import type { ExporterDeps, ExporterSnapshot, ExportSettings } from "../../exporter/delivery/exporter.ts";
import type { FleetReports } from "../../exporter/delivery/fleet/fleet-reports.ts";
import { windowGridMs } from "../../exporter/delivery/plan/cycle-times.ts";
import { LocalSchedule } from "../../exporter/delivery/schedule/local-schedule.ts";
import { type DesiredPlans, Reconciler } from "../../exporter/delivery/schedule/reconciler.ts";
import type { StateStore } from "../../exporter/delivery/state/sink-state.ts";
import type { Tenant } from "../../exporter/metrics-store/ports/sample-reader.ts";
import { ReadLimits } from "../../exporter/metrics-store/read-limits.ts";
import type { NoStore, SinkStore } from "../../exporter/metrics-store/sink-store.ts";
import { directoryPlane } from "../../exporter/policy/plane.ts";
import type { SinkPlan } from "../../exporter/policy/spec/types.ts";
import {
  publicEndpoint,
  type RejectedView,
  type SourceView,
} from "../../exporter/policy/status/status-view.ts";
import type { MetadataLookup } from "../../exporter/remote-write/encoding/write-request-v2.ts";
import { Endpoints } from "../../exporter/remote-write/endpoints.ts";
import { RejectedStore } from "../../exporter/remote-write/rejected/rejected-store.ts";
import { RemoteWriteMetrics } from "../../exporter/remote-write/send/metrics.ts";
import type { Config, MetricsConfig } from "../config/schema.ts";
import { connectionLimit } from "./connection-limit.ts";
import type { Fleet } from "./fleet.ts";
import { checkTimes, type OpenSentLog } from "./sent-log.ts";
import { createStores, type Stores } from "./stores.ts";

/** The dependencies of reading and delivering, for both the daemon's schedule and a single command. */
export interface ExportTools {
  readonly deps: ExporterDeps;
  readonly rejected: RejectedStore;
  readonly stores: Stores;
  readonly registries: readonly Registry[];
  close(): Promise<void>;
}

export interface ExportToolsOptions {
  readonly config: Config & { readonly metrics: MetricsConfig };
  readonly reportedMs?: ExporterDeps["reportedMs"];
  readonly state: StateStore;
  /** Without it, late samples are not looked for. */
  readonly sentLog?: OpenSentLog | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

/** `state.directory/rejected` */
export function rejectedDirectory(config: Config): string {
  return join(config.state.directory, "rejected");
}

/** Wires the metrics store and the receivers to the exporter's ports. */
export function createExportTools({
  config,
  state,
  sentLog,
  reportedMs,
  clock,
  log,
}: ExportToolsOptions): ExportTools {
  const { metrics, delivery, egress } = config;
  // Half of the memory limit is for data waiting to be sent, half for labels of the exported series.
  const halfBytes = Math.floor(delivery.memoryLimitBytes / 2);
  const limits = new ReadLimits({ concurrency: metrics.concurrency, cacheMaxBytes: halfBytes, clock });
  const stores = createStores({ metrics, limits, clock, log });
  const senders = new RemoteWriteMetrics();
  const endpoints = new Endpoints(
    {
      ...{ endpoints: delivery.endpoints, protocol: delivery.protocol, egress },
      maxConnections: connectionLimit(delivery.maxConnections, log),
    },
    {
      clock,
      random: Math.random,
      metrics: senders,
      log,
      userAgent: `telemetryd/${version}`,
      noProxy: process.env["NO_PROXY"] ?? process.env["no_proxy"],
    },
  );
  const rejected = new RejectedStore(rejectedDirectory(config), delivery.rejected, {
    clock,
    log,
    metrics: senders,
  });
  const tenantOf = ({ policy }: SinkPlan): Tenant | undefined =>
    policy.plane === directoryPlane || !metrics.tenantLabel
      ? undefined
      : { label: metrics.tenantLabel, value: policy.plane };
  const deps: ExporterDeps = {
    storeOf: (plan) => stores.storeOf(plan),
    state,
    late: sentLog && {
      ...{ sent: sentLog.sent, isShared: sentLog.isShared },
      times: checkTimes(delivery.latenessMs),
    },
    reportedMs,
    rejected,
    budget: new MemoryBudget(halfBytes),
    settings: settingsOf(config),
    clock,
    random: Math.random,
    log,
    tenantOf,
    destinationOf: (plan, hooks) =>
      endpoints.destinationOf({
        endpoint: plan.endpoint,
        scope: plan.policy.plane === directoryPlane ? "operator" : "tenant",
        tenantLabel: tenantOf(plan)?.label,
        tenant: tenantNameOf(plan),
        metadataOf: metadataIn(stores.storeOf(plan)),
        retry: plan.retry,
        basicAuth: () => plan.basicAuth,
        ...hooks,
      }),
  };
  return {
    deps,
    rejected,
    stores,
    registries: [senders.registry, limits.metrics.registry],
    close: async () => {
      await endpoints.close();
      stores.close();
    },
  };
}

function metadataIn(store: SinkStore | NoStore): MetadataLookup | undefined {
  const metadata = store.kind === "store" ? store.metadata : undefined;
  return metadata && ((metricName) => metadata.lookup(metricName));
}

/** A project is a tenant, and so is a namespace of the directory. */
function tenantNameOf({ policy: { plane, namespace } }: SinkPlan): string {
  return plane === directoryPlane ? `${plane}/${namespace}` : plane;
}

function settingsOf(config: Config & { readonly metrics: MetricsConfig }): ExportSettings {
  const { metrics, delivery } = config;
  return {
    intervalMs: metrics.intervalMs,
    delayMs: metrics.delayMs,
    expressionDelayMs: metrics.expressionDelayMs,
    windowGridMs: windowGridMs(metrics.intervalMs),
    maxWindowMs: delivery.maxWindowMs,
    maxBackfillMs: delivery.maxBackfillMs,
    startFromMs: delivery.startFromMs,
    partitionCount: delivery.concurrency,
    onExhausted: delivery.onExhausted,
    exemplars: metrics.exemplars,
  };
}

/** The running export: it executes the policies and exposes its state. */
export interface Exporting {
  readonly services: readonly Service[];
  readonly registries: readonly Registry[];
  snapshots(): readonly ExporterSnapshot[];
  /** The sinks' metrics, in pieces of Prometheus' text format. */
  exposition(): Iterable<string>;
  /** The snapshot of a sink that this daemon runs, by its key. */
  snapshotOf(sink: string): ExporterSnapshot | undefined;
  /** Reports of all replicas on the sinks, when they share the cycles. */
  readonly reports: FleetReports | undefined;
  source(): SourceView;
  /** What is wrong with the metrics store although it can be read: a sentence each. */
  storeWarnings(): readonly string[];
  rejected(): RejectedView;
  close(): Promise<void>;
}

/** Fraction of `delivery.shutdownTimeout` reserved for the rest of the daemon's shutdown. */
const restOfShutdown = 0.1;
const sweepRejectedMs = 60_000;

export interface ExportingOptions extends ExportToolsOptions {
  readonly desired: DesiredPlans;
  /** Set when replicas share the cycles: `export.schedule: queue`. */
  readonly fleet?: Fleet | undefined;
}

export function createExporting(options: ExportingOptions): Exporting {
  const { config, fleet, clock, log, desired } = options;
  const state = fleet?.state ?? options.state;
  const tools = createExportTools({ ...options, state });
  const shutdownTimeoutMs = config.delivery.shutdownTimeoutMs * (1 - restOfShutdown);
  const schedule =
    fleet?.schedule(tools.deps, shutdownTimeoutMs) ??
    new LocalSchedule({ exporterDeps: tools.deps, shutdownTimeoutMs, clock, log });
  const reconciler = new Reconciler({ desired, schedule, state, clock, log });
  const sweeper: Service = {
    name: "rejected store",
    run: (signal) =>
      runLoop(
        async () => {
          await tools.rejected.sweep();
          return sweepRejectedMs;
        },
        { clock, pauseAfterErrorMs: sweepRejectedMs, onError: logErrors("rejected store", log) },
        signal,
      ),
  };
  const exportRegistry = createExportRegistry(tools.deps.budget);
  return {
    services: [schedule, reconciler, sweeper, ...tools.stores.services],
    registries: [...tools.registries, exportRegistry],
    snapshots: () => schedule.snapshots(),
    exposition: () => sinkExposition(schedule.snapshots()),
    snapshotOf: (sink) => schedule.snapshotOf(sink),
    reports: fleet?.reports,
    source: () => ({
      url: publicEndpoint(config.metrics.url).replaceAll("%7Btenant%7D", "{tenant}"),
      flavor: tools.stores.knownFlavor() ?? "unknown",
    }),
    storeWarnings: () => tools.stores.warnings(),
    rejected: () => ({ ...tools.rejected.snapshot(), maxBytes: config.delivery.rejected.maxBytes }),
    close: () => tools.close(),
  };
}
