import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkTimes } from "../../../src/app/daemon/sent-log.ts";
import { type Logger, silentLogger } from "../../../src/base/log/log.ts";
import type { EgressScope } from "../../../src/base/net/egress.ts";
import { MemoryBudget } from "../../../src/exporter/delivery/batch/memory-budget.ts";
import type { CycleEnd, ExportSettings } from "../../../src/exporter/delivery/cycle.ts";
import { Interruption } from "../../../src/exporter/delivery/dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../../../src/exporter/delivery/exporter.ts";
import { lookBackMs } from "../../../src/exporter/delivery/late/check-times.ts";
import { FileSentLog } from "../../../src/exporter/delivery/late/file-sent-log.ts";
import { StateLog } from "../../../src/exporter/delivery/state/state-log.ts";
import type { StoreMetadata } from "../../../src/exporter/metrics-store/sink-store.ts";
import type { SinkPlan } from "../../../src/exporter/policy/spec/types.ts";
import type { ProtocolSetting } from "../../../src/exporter/remote-write/endpoint/endpoint-state.ts";
import { RejectedStore } from "../../../src/exporter/remote-write/rejected/rejected-store.ts";
import { RemoteWriteMetrics } from "../../../src/exporter/remote-write/send/metrics.ts";
import { postLimits } from "../../../src/exporter/remote-write/transport/post.ts";
import { openEndpoints } from "../receiver/endpoints.ts";
import { SampleStore } from "../store/sample-store.ts";
import { TestClock } from "../test-clock.ts";
import { deliveringState } from "./delivering-state.ts";

export interface TestSinkOptions {
  readonly endpoint: string;
  readonly settings?: Partial<ExportSettings>;
  readonly plan?: Partial<SinkPlan>;
  readonly scope?: EgressScope;
  readonly protocol?: ProtocolSetting;
  /** `delivery.lateness`, in ms; 0, the default, is off. */
  readonly latenessMs?: number;
  readonly metadata?: StoreMetadata;
  /** The exporter's; silent by default. */
  readonly log?: Logger;
}

/**
 * A whole sink as the daemon runs it, with state and rejected store on disk, a store in memory and an
 * adjustable clock.
 */
export interface TestSink extends AsyncDisposable {
  readonly clock: TestClock;
  readonly store: SampleStore;
  readonly exporter: Exporter;
  readonly remoteWrite: RemoteWriteMetrics;
  readonly directory: string;
  /** Offset of the store's wall clock from the local one; positive when it is ahead. */
  storeAheadMs: number;
  plan(change?: Partial<SinkPlan>): SinkPlan;
  /** Advances the clock and runs a cycle. */
  cycle(afterMs?: number): Promise<CycleEnd>;
  condition(): ReturnType<typeof deliveringState>;
}

/** Start time of every test; a whole minute. */
export const testStartMs = 1_760_000_040_000;

export async function startSink(options: TestSinkOptions): Promise<TestSink> {
  const directory = await mkdtemp(join(tmpdir(), "telemetryd-sink-"));
  const clock = new TestClock(testStartMs);
  const log = silentLogger;
  const state = await StateLog.open({ directory, log });
  const metrics = new RemoteWriteMetrics();
  const endpoints = openEndpoints(
    { protocol: options.protocol ?? "1.0" },
    { clock, metrics, random: () => 0, postLimits: { ...postLimits, headersMs: 500, bodyMs: 500 } },
  );
  const limits = { maxBytes: 2 ** 20, maxAgeMs: 3_600_000 };
  const rejected = new RejectedStore(join(directory, "rejected"), limits, { clock, log, metrics });
  const store = new SampleStore(() => clock.wallMs + sink.storeAheadMs, clock);
  const basePlan: SinkPlan = {
    policy: { plane: "directory", namespace: "default", name: "policy", uid: "-" },
    generation: 1,
    name: "sink",
    sources: [{ name: "source", metricsql: "a|b|c|d" }],
    endpoint: options.endpoint,
    batch: { timeoutMs: 5_000, maxSize: 100, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 2, backoffMs: 1_000 },
    paused: false,
    ...options.plan,
  };
  const { latenessMs = 0 } = options;
  const sentLog = { directory: join(directory, "sent"), stepMs: 60_000, maxBytes: 2 ** 30, clock, log };
  const sent =
    latenessMs > 0
      ? await FileSentLog.open({ ...sentLog, keepMs: lookBackMs(checkTimes(latenessMs)) + 600_000 })
      : undefined;
  const deps: ExporterDeps = {
    storeOf: () => ({
      ...{ kind: "store", reader: store, counter: store, metadata: options.metadata },
      probe: () => store.probe(),
    }),
    late: sent && { sent, times: checkTimes(latenessMs), isShared: false },
    state: state.store,
    rejected,
    budget: new MemoryBudget(2 ** 20),
    settings: {
      intervalMs: 15_000,
      delayMs: 10_000,
      expressionDelayMs: 10_000,
      windowGridMs: 1_000,
      maxWindowMs: 300_000,
      maxBackfillMs: 24 * 3_600_000,
      startFromMs: 3_600_000,
      partitionCount: 4,
      onExhausted: "replay",
      ...options.settings,
    },
    clock,
    random: () => 0,
    log: options.log ?? log,
    tenantOf: () => undefined,
    destinationOf: (plan, hooks) =>
      endpoints.destinationOf({
        endpoint: plan.endpoint,
        scope: options.scope ?? "operator",
        tenant: "project",
        retry: plan.retry,
        credentials: () => plan.credentials,
        relabel: plan.relabel,
        ...hooks,
      }),
  };
  const exporter = new Exporter(basePlan, deps);
  const never = new AbortController().signal;
  const sink: TestSink = {
    ...{ clock, store, exporter, directory },
    remoteWrite: metrics,
    storeAheadMs: 0,
    plan: (change) => ({ ...basePlan, ...change }),
    cycle: (afterMs = 0) => {
      clock.advance(afterMs);
      return exporter.cycle(new Interruption(), never);
    },
    condition: () => deliveringState(exporter.snapshot(), clock.nowMs()),
    async [Symbol.asyncDispose]() {
      await exporter.close();
      await endpoints.close();
      await state.close();
      await sent?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return sink;
}
