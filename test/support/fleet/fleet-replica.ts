import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { uncompressSync } from "snappy";
import { systemClock } from "../../../src/base/core/clock.ts";
import { type Logger, silentLogger } from "../../../src/base/log/log.ts";
import { createRedis } from "../../../src/base/redis/redis.ts";
import { MemoryBudget } from "../../../src/exporter/delivery/batch/memory-budget.ts";
import type { ExporterDeps } from "../../../src/exporter/delivery/exporter.ts";
import { FleetReports } from "../../../src/exporter/delivery/fleet/fleet-reports.ts";
import { RedisState } from "../../../src/exporter/delivery/fleet/redis-state.ts";
import { QueueSchedule } from "../../../src/exporter/delivery/schedule/queue-schedule.ts";
import { StateLog } from "../../../src/exporter/delivery/state/state-log.ts";
import { type SinkPlan, sinkKey } from "../../../src/exporter/policy/spec/types.ts";
import { seriesEncoderFor } from "../../../src/exporter/remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../../src/exporter/remote-write/encoding/write-request.ts";
import { EndpointState } from "../../../src/exporter/remote-write/endpoint/endpoint-state.ts";
import type { Outcome } from "../../../src/exporter/remote-write/send/outcome.ts";
import { SampleBuffer, Series } from "../../../src/exporter/series/series.ts";
import { remoteWrite1 } from "../receiver/protocol.ts";
import { sinkStore } from "../sink/sink-store.ts";

/** The store of these tests has one series, with a sample at every multiple of this. */
export const sampleEveryMs = 100;

/** A receiver's response to a request with samples at these times. */
export type Deliver = (sink: string, timesMs: readonly number[], signal: AbortSignal) => Promise<Outcome>;

export interface FleetReplicaOptions {
  /** More than one URL: the nodes of a cluster. */
  readonly redisUrls: readonly string[];
  /** A new folder of the test; the replica's state is in a subfolder. */
  readonly directory: string;
  readonly name: string;
  readonly intervalMs: number;
  readonly maxWindowMs?: number;
  readonly deliver: Deliver;
  readonly log?: Logger;
}

export interface FleetReplica {
  readonly schedule: QueueSchedule;
  readonly state: RedisState;
  readonly reports: FleetReports;
  stop(): Promise<void>;
}

/** A replica wired as in the daemon, except for its store and its receivers. */
export async function startFleetReplica(options: FleetReplicaOptions): Promise<FleetReplica> {
  const { redisUrls, intervalMs, deliver, log = silentLogger } = options;
  const directory = join(options.directory, options.name);
  mkdirSync(directory, { recursive: true });
  const clock = systemClock;
  const file = await StateLog.open({ directory, log });
  const redis = createRedis({ urls: redisUrls, stateDirectory: directory, clock, log });
  const mirror = file.store;
  const state = new RedisState({ redis, mirror, clock });
  const store = sinkStore({
    storeNowMs: () => Date.now(),
    async read({ window }, consumer) {
      const buffer = samplesOf(window.fromMs, window.toMs);
      if (buffer.length > 0) consumer.onSeries(new Series([{ name: "__name__", value: "up" }]), buffer);
      const samples = buffer.length;
      return { kind: "complete", series: 1, samples, bytes: 0, durationMs: 1, invalidLines: 0 };
    },
  });
  const exporterDeps: ExporterDeps = {
    storeOf: () => store,
    state,
    rejected: { add: async () => undefined },
    budget: new MemoryBudget(2 ** 24),
    settings: {
      intervalMs,
      delayMs: 200,
      expressionDelayMs: 200,
      windowGridMs: 1,
      maxWindowMs: options.maxWindowMs ?? 60_000,
      maxBackfillMs: 3_600_000,
      startFromMs: 0,
      partitionCount: 2,
      onExhausted: "replay",
    },
    clock,
    random: Math.random,
    log,
    tenantOf: () => undefined,
    destinationOf: (plan, { maySend }) => ({
      kind: "destination",
      sender: {
        close: async () => undefined,
        send: async ({ payload }, signal) => {
          if (maySend?.() === false) return { kind: "aborted", responseLost: false };
          return deliver(sinkKey(plan.policy, plan.name), timesOf(payload), signal);
        },
      },
      state: new EndpointState("1.0"),
      encoder: () => seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" }),
      newBuilder: () => new WriteRequestBuilder(),
    }),
  };
  const reports = new FleetReports(options.name, clock);
  const schedule = new QueueSchedule({
    exporterDeps,
    state,
    reports,
    mirror,
    redis,
    shutdownTimeoutMs: 5_000,
    clock,
    log,
  });
  const controller = new AbortController();
  const ended = schedule.run(controller.signal);
  ended.catch(() => undefined);
  return {
    schedule,
    state,
    reports,
    async stop() {
      controller.abort();
      await ended;
      await file.close();
    },
  };
}

function samplesOf(fromMs: number, toMs: number): SampleBuffer {
  const buffer = new SampleBuffer();
  const first = Math.floor(fromMs / sampleEveryMs) + 1;
  const last = Math.floor(toMs / sampleEveryMs);
  const count = Math.max(0, last - first + 1);
  buffer.reserve(count);
  buffer.length = count;
  for (let index = 0; index < count; index++) {
    buffer.timestampsMs[index] = (first + index) * sampleEveryMs;
    buffer.values[index] = index;
  }
  return buffer;
}

function timesOf(payload: Uint8Array): number[] {
  const bytes = uncompressSync(Buffer.from(payload), { asBuffer: true }) as Buffer;
  const { timeseries } = remoteWrite1.WriteRequest.decode(bytes);
  return (timeseries ?? []).flatMap(({ samples }) =>
    (samples ?? []).map(({ timestamp }) => Number(timestamp)),
  );
}

export function fleetPlan(policy: string, changes: Partial<SinkPlan> = {}): SinkPlan {
  return {
    policy: { plane: "shop", namespace: "default", name: policy, uid: "u1" },
    generation: 1,
    name: "vm",
    sources: [{ name: "a", metricsql: "up" }],
    endpoint: "http://127.0.0.1/write",
    batch: { timeoutMs: 100, maxSize: 1_000, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1_000 },
    paused: false,
    ...changes,
  };
}

/** All receivers of a test: samples by replica, and their faults. */
export class Receivers {
  readonly times = new Map<string, number[]>();
  /** Number of requests by replica. */
  readonly requests = new Map<string, number>();
  /** Times that a sink had open requests of two different replicas. */
  overlaps = 0;
  readonly #open = new Map<string, string>();
  response: (sink: string, replica: string) => Outcome | undefined = () => undefined;

  from(replica: string): Deliver {
    return async (sink, timesMs) => {
      const present = this.#open.get(sink);
      if (present !== undefined && present !== replica) this.overlaps++;
      this.#open.set(sink, replica);
      await new Promise((resolve) => setTimeout(resolve, 5));
      this.#open.delete(sink);
      this.requests.set(replica, (this.requests.get(replica) ?? 0) + 1);
      const response = this.response(sink, replica);
      if (response !== undefined) return response;
      this.take(sink, timesMs);
      return { kind: "delivered", status: 204 };
    };
  }

  take(sink: string, timesMs: readonly number[]): void {
    const times = this.times.get(sink) ?? [];
    this.times.set(sink, times);
    times.push(...timesMs);
  }

  /** Timestamp of a sink's newest sample; 0 before its first. */
  newestMs(sink: string): number {
    return Math.max(0, ...(this.times.get(sink) ?? []));
  }

  /** Missing and repeated samples between a sink's first and last one. */
  faults(sink: string): { missing: number; repeated: number } {
    const times = this.times.get(sink) ?? [];
    const distinct = new Set(times);
    if (distinct.size === 0) return { missing: 0, repeated: 0 };
    const spanMs = Math.max(...distinct) - Math.min(...distinct);
    return { missing: spanMs / sampleEveryMs + 1 - distinct.size, repeated: times.length - distinct.size };
  }
}
