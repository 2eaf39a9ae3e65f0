import { keyPrefix } from "../../../base/redis/connection.ts";
import { sinkOfKey } from "../late/late-samples.ts";

/**
 * The names of what a fleet keeps in Redis. A sink's own keys have it between braces: a cluster keeps them in one slot, which a
 * script over several keys needs, and spreads the sinks over its nodes. A key of the state store is a sink, or a sink's
 * second journal (late-samples.ts), which lies beside it.
 */
export const fleetKeys = {
  /** Who may write a sink's state: the replica's token, for as long as the lease runs. */
  lease: (sink: string): string => `telemetryd:export:{${sink}}:lease`,
  /** Hash; the fields are below. */
  state: (key: string): string => `${prefixOf(key)}:state`,
  /** List: the binary journal of an open window; see journal-entry.ts. */
  journal: (key: string, windowId: number): string => `${prefixOf(key)}:journal:${windowId}`,
  /** Set: the keys of the state store that have a state. */
  sinks: `${keyPrefix}:export:sinks`,
  /** A token that is made anew whenever Redis is found empty. */
  epoch: `${keyPrefix}:export:epoch`,
  /** Channel: which replica took which sink's lease. */
  taken: `${keyPrefix}:export:taken`,
  /** Channel: what was found out of a sink in its last cycle, for those who show it; see fleet-reports.ts. */
  reported: `${keyPrefix}:export:reported`,
} as const;

function prefixOf(key: string): string {
  const sink = sinkOfKey(key);
  return `telemetryd:export:{${sink}}${sink === key ? "" : ":late"}`;
}

/** Fields of a sink's state. Sources and windows are told apart by their prefix. */
export const stateFields = {
  /** The token of the last lease, which every write must show. */
  fence: "fence",
  /** Redis' time (Unix ms) when that lease was taken. */
  leasedAt: "leasedAt",
  /** JSON: {@link SharedDeliveryState} without its pause; absent while the sink delivers. */
  deliveryState: "deliveryState",
  /** Redis' time (Unix ms) before which nobody tries again. */
  pausedUntil: "pausedUntil",
  /** JSON: {@link SinkReport}, of the last cycle. */
  report: "report",
  checkpointPrefix: "checkpoint:",
  windowPrefix: "window:",
} as const;

/** The field of a sink's state that counts over all replicas. */
export function countField(name: string): string {
  return `count:${name}`;
}
