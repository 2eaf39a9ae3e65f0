import { systemClock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { MemoryBudget } from "../../../src/exporter/delivery/batch/memory-budget.ts";
import type { ExportSettings } from "../../../src/exporter/delivery/cycle.ts";
import type { ExporterDeps } from "../../../src/exporter/delivery/exporter.ts";
import { SinkStates } from "../../../src/exporter/delivery/state/sink-states.ts";
import type { SinkStore } from "../../../src/exporter/metrics-store/sink-store.ts";
import type { SinkPlan } from "../../../src/exporter/policy/spec/types.ts";
import type { Destination } from "../../../src/exporter/remote-write/destination.ts";
import { EndpointState } from "../../../src/exporter/remote-write/endpoint/endpoint-state.ts";
import type { Sender } from "../../../src/exporter/remote-write/send/outcome.ts";
import { builderOf, plainEncoder } from "../receiver/encoded.ts";

/** The plan of a sink named `sink`, with one source and one attempt. */
export function sinkPlan(change: Partial<SinkPlan> = {}): SinkPlan {
  return {
    policy: { plane: "directory", namespace: "default", name: "export", uid: "-" },
    generation: 1,
    name: "sink",
    sources: [{ name: "a", metricsql: "up" }],
    endpoint: "http://127.0.0.1/write",
    batch: { timeoutMs: 5_000, maxSize: 500, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1 },
    paused: false,
    ...change,
  };
}

/** A destination of protocol 1.0 with this sending. */
export function destinationWith(send: Sender["send"], change: Partial<Destination> = {}): Destination {
  return {
    kind: "destination",
    sender: { send, close: async () => undefined },
    state: new EndpointState("1.0"),
    encoder: () => plainEncoder,
    newBuilder: (onCapacity) => builderOf("1.0", onCapacity),
    ...change,
  };
}

export interface ExporterParts extends Partial<Omit<ExporterDeps, "settings">> {
  readonly store: SinkStore;
  readonly destinationOf: ExporterDeps["destinationOf"];
  readonly settings?: Partial<ExportSettings>;
}

/** What an exporter needs: the state is in memory, and a window is exported as soon as its end is past. */
export function exporterDeps({ store, settings, ...parts }: ExporterParts): ExporterDeps {
  return {
    storeOf: () => store,
    rejected: { add: async () => undefined },
    state: new SinkStates(),
    budget: new MemoryBudget(2 ** 24),
    settings: {
      intervalMs: 1_000,
      delayMs: 0,
      expressionDelayMs: 0,
      windowGridMs: 1,
      maxWindowMs: 60_000,
      maxBackfillMs: Infinity,
      startFromMs: 0,
      partitionCount: 1,
      onExhausted: "replay",
      ...settings,
    },
    clock: systemClock,
    random: () => 0,
    log: silentLogger,
    tenantOf: () => undefined,
    ...parts,
  };
}
