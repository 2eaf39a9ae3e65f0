import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "../core/clock.ts";
import type { Logger } from "../core/log.ts";
import type { Service } from "../core/service.ts";
import type { ExporterDeps } from "../export/exporter.ts";
import { FleetReports } from "../export/fleet/fleet-reports.ts";
import { RedisState } from "../export/fleet/redis-state.ts";
import type { MemoryState } from "../export/memory-state.ts";
import type { Schedule } from "../export/schedule.ts";
import { QueueSchedule } from "../export/schedules/queue-schedule.ts";
import type { StateStore } from "../export/sink-state.ts";
import type { RedisConnections } from "../redis/redis.ts";

/** What stands in for the local state and the local schedule under `export.schedule: queue`. */
export interface Fleet {
  readonly state: StateStore;
  /** What all replicas tell of the sinks. */
  readonly reports: FleetReports;
  schedule(exporterDeps: ExporterDeps, shutdownTimeoutMs: number): Schedule & Service;
}

export function createFleet(parts: {
  readonly redis: RedisConnections;
  /** The state directory's: this replica's copy of what it writes to Redis. */
  readonly mirror: MemoryState;
  readonly clock: Clock;
  readonly log: Logger;
}): Fleet {
  const state = new RedisState(parts);
  // On Kubernetes the host's name is the pod's. Two replicas on one machine, or two lives of one, differ in the rest.
  const reports = new FleetReports(`${hostname()}/${randomUUID().slice(0, 8)}`, parts.clock);
  return {
    state,
    reports,
    schedule: (exporterDeps, shutdownTimeoutMs) =>
      new QueueSchedule({ ...parts, exporterDeps, state, reports, shutdownTimeoutMs }),
  };
}
