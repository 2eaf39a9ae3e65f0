import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { createRedis } from "../../../src/base/redis/redis.ts";
import { FleetReports } from "../../../src/exporter/delivery/fleet/fleet-reports.ts";
import { RedisState } from "../../../src/exporter/delivery/fleet/redis-state.ts";
import { QueueSchedule } from "../../../src/exporter/delivery/schedule/queue-schedule.ts";
import { StateLog } from "../../../src/exporter/delivery/state/state-log.ts";
import { type SinkPlan, sinkKey } from "../../../src/exporter/policy/spec/types.ts";
import type { EncodedRequest } from "../../../src/exporter/remote-write/encoding/request.ts";
import type { Outcome } from "../../../src/exporter/remote-write/send/outcome.ts";
import type { SampleBuffer } from "../../../src/exporter/series/series.ts";
import { bodyOf } from "../receiver/encoded.ts";
import { remoteWrite1 } from "../receiver/protocol.ts";
import { destinationWith, exporterDeps, sinkPlan } from "../sink/exporter-deps.ts";
import { sinkStore } from "../sink/sink-store.ts";
import { bufferOf, seriesOf } from "../store/series.ts";

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
}

export interface FleetReplica {
  readonly schedule: QueueSchedule;
  readonly state: RedisState;
  readonly reports: FleetReports;
  stop(): Promise<void>;
}

/** A replica wired as in the daemon, except for its store and its receivers. */
export async function startFleetReplica(options: FleetReplicaOptions): Promise<FleetReplica> {
  const { redisUrls, intervalMs, deliver } = options;
  const directory = join(options.directory, options.name);
  mkdirSync(directory, { recursive: true });
  const [clock, log] = [systemClock, silentLogger];
  const file = await StateLog.open({ directory, log });
  const redis = createRedis({ urls: redisUrls, stateDirectory: directory, clock, log });
  const mirror = file.store;
  const state = new RedisState({ redis, mirror, clock });
  const store = sinkStore({
    storeNowMs: () => Date.now(),
    async read({ window }, consumer) {
      const buffer = samplesOf(window.fromMs, window.toMs);
      if (buffer.length > 0) consumer.onSeries(seriesOf("up"), buffer);
      const samples = buffer.length;
      return { kind: "complete", series: 1, samples, bytes: 0, durationMs: 1, invalidLines: 0 };
    },
  });
  const deps = exporterDeps({
    store,
    state,
    settings: {
      intervalMs,
      delayMs: 200,
      maxBackfillMs: 3_600_000,
      partitionCount: 2,
      ...(options.maxWindowMs && { maxWindowMs: options.maxWindowMs }),
    },
    random: Math.random,
    log,
    destinationOf: (plan, { maySend }) =>
      destinationWith(async (request, signal) => {
        if (maySend?.() === false) return { kind: "aborted", responseLost: false };
        return deliver(sinkKey(plan.policy, plan.name), timesOf(request), signal);
      }),
  });
  const reports = new FleetReports(options.name, clock);
  const schedule = new QueueSchedule({
    exporterDeps: deps,
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
  const first = Math.floor(fromMs / sampleEveryMs) + 1;
  const last = Math.floor(toMs / sampleEveryMs);
  const count = Math.max(0, last - first + 1);
  return bufferOf(Array.from({ length: count }, (_, index) => [(first + index) * sampleEveryMs, index]));
}

function timesOf(request: EncodedRequest): number[] {
  const { timeseries } = remoteWrite1.WriteRequest.decode(bodyOf(request));
  return (timeseries ?? []).flatMap(({ samples }) =>
    (samples ?? []).map(({ timestamp }) => Number(timestamp)),
  );
}

export function fleetPlan(policy: string, changes: Partial<SinkPlan> = {}): SinkPlan {
  return sinkPlan({
    policy: { plane: "shop", namespace: "default", name: policy, uid: "u1" },
    name: "vm",
    batch: { timeoutMs: 100, maxSize: 1_000, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1_000 },
    ...changes,
  });
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
