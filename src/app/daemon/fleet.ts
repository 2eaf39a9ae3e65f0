import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../../base/core/clock.ts";
import type { Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import type { ExporterDeps } from "../../exporter/delivery/exporter.ts";
import { FleetReports } from "../../exporter/delivery/fleet/fleet-reports.ts";
import { RedisSentLog } from "../../exporter/delivery/fleet/redis-sent-log.ts";
import { RedisState } from "../../exporter/delivery/fleet/redis-state.ts";
import type { SentLog } from "../../exporter/delivery/late/sent-log.ts";
import { QueueSchedule } from "../../exporter/delivery/schedule/queue-schedule.ts";
import type { Schedule } from "../../exporter/delivery/schedule/schedule.ts";
import type { StateStore } from "../../exporter/delivery/state/sink-state.ts";
import type { SinkStates } from "../../exporter/delivery/state/sink-states.ts";

/** Replaces local state and local schedule under `export.schedule: queue`. */
export interface Fleet {
  readonly state: StateStore;
  /** Reports of all replicas on the sinks. */
  readonly reports: FleetReports;
  /** What the sinks have sent, in Redis. */
  sentLog(stepMs: number, keepMs: number): SentLog;
  schedule(exporterDeps: ExporterDeps, shutdownTimeoutMs: number): Schedule & Service;
}

export function createFleet(parts: {
  readonly redis: RedisConnections;
  /** The state directory's content: this replica's copy of its writes to Redis. */
  readonly mirror: SinkStates;
  readonly clock: Clock;
  readonly log: Logger;
}): Fleet {
  const state = new RedisState(parts);
  // On Kubernetes the host name is the pod's. The suffix separates replicas on one machine, and restarts of
  // one.
  const reports = new FleetReports(`${hostname()}/${randomUUID().slice(0, 8)}`, parts.clock);
  return {
    state,
    reports,
    sentLog: (stepMs, keepMs) => new RedisSentLog({ state, stepMs, keepMs }),
    schedule: (exporterDeps, shutdownTimeoutMs) =>
      new QueueSchedule({ ...parts, exporterDeps, state, reports, shutdownTimeoutMs }),
  };
}
