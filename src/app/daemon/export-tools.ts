import { join } from "node:path";
import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import { version } from "../../base/core/version.ts";
import type { Logger } from "../../base/log/log.ts";
import { MemoryBudget } from "../../exporter/delivery/batch/memory-budget.ts";
import type { ExportSettings } from "../../exporter/delivery/cycle.ts";
import type { ExporterDeps } from "../../exporter/delivery/exporter.ts";
import { windowGridMs } from "../../exporter/delivery/plan/cycle-times.ts";
import type { StateStore } from "../../exporter/delivery/state/sink-state.ts";
import type { Tenant } from "../../exporter/metrics-store/ports/sample-reader.ts";
import { ReadLimits } from "../../exporter/metrics-store/read-limits.ts";
import type { NoStore, SinkStore } from "../../exporter/metrics-store/sink-store.ts";
import type { StoreTroubleView } from "../../exporter/metrics-store/store-trouble.ts";
import { directoryPlane } from "../../exporter/policy/plane.ts";
import { type SinkPlan, sinkKey, sinkName } from "../../exporter/policy/spec/types.ts";
import type { MetadataLookup } from "../../exporter/remote-write/encoding/write-request-v2.ts";
import { Endpoints } from "../../exporter/remote-write/endpoints.ts";
import { type RejectedFolder, rejectedFolder } from "../../exporter/remote-write/rejected/rejected-access.ts";
import { RejectedStore } from "../../exporter/remote-write/rejected/rejected-store.ts";
import { RemoteWriteMetrics } from "../../exporter/remote-write/send/metrics.ts";
import { Taps } from "../../exporter/remote-write/tap.ts";
import type { Config, MetricsConfig } from "../config/schema.ts";
import { connectionLimit } from "./connection-limit.ts";
import { checkTimes, type OpenSentLog } from "./sent-log.ts";
import { createStores, type Stores } from "./stores.ts";

/** The dependencies of reading and delivering, for both the daemon's schedule and a single command. */
export interface ExportTools {
  readonly deps: ExporterDeps;
  readonly rejected: RejectedStore;
  readonly stores: Stores;
  /** What the sinks send. */
  readonly taps: Taps;
  /** Why the metrics store cannot be read. */
  readonly storeTrouble: () => StoreTroubleView | undefined;
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

/** The rejected store for commands. Entries are replayed with the sinks' current endpoints and credentials. */
export function rejectedAccess(
  config: Config,
  { destinationOf }: Pick<ExporterDeps, "destinationOf">,
  plans: () => readonly SinkPlan[],
): RejectedFolder {
  return rejectedFolder(rejectedDirectory(config), ({ sink }, signal) => {
    const plan = plans().find(({ policy, name }) => sinkKey(policy, name) === sink);
    const destination = plan && destinationOf(plan, { interrupt: () => signal });
    return destination?.kind === "destination" ? destination.sender : undefined;
  });
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
  const taps = new Taps();
  const senders = new RemoteWriteMetrics();
  const endpoints = new Endpoints(
    {
      endpoints: delivery.endpoints,
      protocol: delivery.protocol,
      egress,
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
      sent: sentLog.sent,
      isShared: sentLog.isShared,
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
        credentials: () => plan.credentials,
        headers: plan.headers,
        compression: plan.compression,
        relabel: plan.relabel,
        onSent: (request, verdict) =>
          taps.offer(() => sinkName(sinkKey(plan.policy, plan.name)), request, verdict, clock.nowMs()),
        ...hooks,
      }),
  };
  return {
    deps,
    rejected,
    stores,
    taps,
    storeTrouble: () => limits.trouble.get(),
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
