import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import { defined } from "../../base/core/defined.ts";
import { logErrors, runLoop } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import { redact } from "../../base/log/redact.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import { createExportRegistry, sinkExposition } from "../../exporter/delivery/export-metrics.ts";
import type { ExporterSnapshot } from "../../exporter/delivery/exporter-snapshot.ts";
import type { FleetReports } from "../../exporter/delivery/fleet/fleet-reports.ts";
import { LocalSchedule } from "../../exporter/delivery/schedule/local-schedule.ts";
import { type DesiredPlans, Reconciler } from "../../exporter/delivery/schedule/reconciler.ts";
import type { SinkStates } from "../../exporter/delivery/state/sink-states.ts";
import { StateLog } from "../../exporter/delivery/state/state-log.ts";
import type { StoreTroubleView } from "../../exporter/metrics-store/store-trouble.ts";
import { sinkKey, sinkName } from "../../exporter/policy/spec/types.ts";
import {
  publicEndpoint,
  type RejectedView,
  type SourceView,
} from "../../exporter/policy/status/status-view.ts";
import type { RejectedFolder } from "../../exporter/remote-write/rejected/rejected-access.ts";
import type { RejectedStore } from "../../exporter/remote-write/rejected/rejected-store.ts";
import type { MetricsConfig } from "../config/schema.ts";
import type { TapInput } from "../ops/tap-routes.ts";
import {
  createExportTools,
  type ExportTools,
  type ExportToolsOptions,
  rejectedAccess,
} from "./export-tools.ts";
import type { Fleet } from "./fleet.ts";
import type { Part, PartContext } from "./parts.ts";
import type { Policies } from "./policies.ts";
import { openSentLog } from "./sent-log.ts";

/** The running exporter: it executes the policies and exposes its state. */
export interface RunningExporter extends Part {
  snapshots(): readonly ExporterSnapshot[];
  /** The sinks' metrics, in pieces of Prometheus' text format. */
  exposition(): Iterable<string>;
  /** The snapshot of a sink that this daemon runs, by its key. */
  snapshotOf(sink: string): ExporterSnapshot | undefined;
  /** Reports of all replicas on the sinks, when they share the cycles. */
  readonly reports: FleetReports | undefined;
  source(): SourceView;
  rejected(): RejectedView;
  readonly rejectedAccess: RejectedFolder;
  readonly tap: TapInput;
  readonly registries: readonly Registry[];
  close(): Promise<void>;
}

/** Fraction of `delivery.shutdownTimeout` reserved for the rest of the daemon's shutdown. */
const restOfShutdown = 0.1;
const sweepRejectedMs = 60_000;

/**
 * The exporter of the declared policies. Its state is opened before the fleet's, which mirrors it.
 *
 * @throws STATE_UNUSABLE
 */
export async function openExporter(
  context: PartContext,
  redis: RedisConnections | undefined,
  policies: Policies,
): Promise<RunningExporter | undefined> {
  const { config, clock, log, signal, onClose } = context;
  const { metrics, controlPlane, policies: directory } = config;
  if (metrics === undefined || (directory === undefined && controlPlane === undefined)) return undefined;
  const state = await StateLog.open({ directory: config.state.directory, log });
  onClose(() => state.close());
  if (config.export.schedule === "local" && config.redis !== undefined) {
    const { takeOverFromFleet } = await import("./fleet-takeover.ts");
    await takeOverFromFleet(config, state.store, clock, log, signal);
  }
  const fleet = await openFleet(context, redis, state.store);
  const sentLog = await openSentLog(config, fleet, clock, log);
  onClose(async () => sentLog?.close());
  const exporter = createExporter({
    config: { ...config, metrics },
    state: state.store,
    reportedMs: (plan) => policies.store.policy(plan.policy)?.reported.get(plan.name),
    fleet,
    sentLog,
    desired: {
      plans: () => policies.plans.sinks(),
      subscribe: (listener) => policies.plans.subscribe(listener),
    },
    clock,
    log,
  });
  onClose(() => exporter.close());
  const stateProblem = () => state.degraded && `the state directory cannot be written: ${state.degraded}`;
  return { ...exporter, problems: { state: stateProblem, ...exporter.problems } };
}

/** The shared state of replicas; undefined for a daemon that runs all cycles itself. */
async function openFleet(
  { config, clock, log }: PartContext,
  redis: RedisConnections | undefined,
  mirror: SinkStates,
): Promise<Fleet | undefined> {
  if (redis === undefined || config.export.schedule !== "queue") return undefined;
  const { createFleet } = await import("./fleet.ts");
  return createFleet({ redis, mirror, clock, log });
}

export interface ExporterOptions extends ExportToolsOptions {
  readonly desired: DesiredPlans;
  /** Set when replicas share the cycles: `export.schedule: queue`. */
  readonly fleet?: Fleet | undefined;
}

export function createExporter(options: ExporterOptions): RunningExporter {
  const { config, fleet, clock, log, desired } = options;
  const state = fleet?.state ?? options.state;
  const tools = createExportTools({ ...options, state });
  const shutdownTimeoutMs = config.delivery.shutdownTimeoutMs * (1 - restOfShutdown);
  const schedule =
    fleet?.schedule(tools.deps, shutdownTimeoutMs) ??
    new LocalSchedule({ exporterDeps: tools.deps, shutdownTimeoutMs, clock, log });
  const reconciler = new Reconciler({ desired, schedule, state, clock, log });
  const exportRegistry = createExportRegistry(tools.deps.budget);
  return {
    stage: "exporter",
    services: [schedule, reconciler, rejectedSweeper(tools.rejected, clock, log), ...tools.stores.services],
    registries: [...tools.registries, exportRegistry],
    snapshots: () => schedule.snapshots(),
    exposition: () => sinkExposition(schedule.snapshots(), clock.nowMs()),
    snapshotOf: (sink) => schedule.snapshotOf(sink),
    reports: fleet?.reports,
    source: () => sourceView(config.metrics, tools),
    problems: {
      metrics_store: () => [...storeProblems(tools.storeTrouble()), ...tools.stores.warnings()],
    },
    rejected: () => ({ ...tools.rejected.snapshot(), maxBytes: config.delivery.rejected.maxBytes }),
    tap: {
      taps: tools.taps,
      hasSink: (name) =>
        schedule.snapshots().some(({ plan }) => sinkName(sinkKey(plan.policy, plan.name)) === name),
    },
    rejectedAccess: rejectedAccess(config, tools.deps, () => desired.plans()),
    close: () => tools.close(),
  };
}

function rejectedSweeper(rejected: RejectedStore, clock: Clock, log: Logger): Service {
  return {
    name: "rejected store",
    run: (signal) =>
      runLoop(
        async () => {
          await rejected.sweep();
          return sweepRejectedMs;
        },
        { clock, pauseAfterErrorMs: sweepRejectedMs, onError: logErrors("rejected store", log) },
        signal,
      ),
  };
}

function sourceView({ url }: MetricsConfig, { stores, storeTrouble }: ExportTools): SourceView {
  const trouble = storeTrouble();
  return defined({
    url: publicEndpoint(url).replaceAll("%7Btenant%7D", "{tenant}"),
    flavor: stores.knownFlavor() ?? "unknown",
    lastError: trouble && { at: new Date(trouble.atMs).toISOString(), message: redact(trouble.message) },
  });
}

function storeProblems(trouble: StoreTroubleView | undefined): string[] {
  if (trouble === undefined) return [];
  const since = new Date(trouble.sinceMs).toISOString().replace(/\.\d+Z$/, "Z");
  return [`the metrics store cannot be read since ${since}: ${redact(trouble.message)}`];
}
