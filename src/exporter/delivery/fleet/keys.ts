import { keyPrefix } from "../../../base/redis/connection.ts";
import { sinkOfKey } from "../state/state-keys.ts";

/**
 * The keys of a fleet in Redis. Keys of a sink contain its name in braces: a cluster then keeps them in one
 * slot, as a script over several keys requires, and spreads the sinks over its nodes. A key of the state
 * store is a sink, or a sink's second journal (late-samples.ts), which is stored beside it.
 */
export const fleetKeys = {
  /** The owner of a sink's state: the replica's token, for the duration of the lease. */
  lease: (sink: string): string => `telemetryd:export:{${sink}}:lease`,
  /** Hash; the fields are below. */
  state: (key: string): string => `${prefixOf(key)}:state`,
  /** List: the binary journal of an open window; see journal-entry.ts. */
  journal: (key: string, windowId: number): string => `${prefixOf(key)}:journal:${windowId}`,
  /** List: what the sink has sent within `delivery.lateness`; see redis-sent-log.ts. */
  sent: (sink: string): string => `telemetryd:export:{${sink}}:sent`,
  /** Set: the keys of the state store that have a state. */
  sinks: `${keyPrefix}:export:sinks`,
  /** A token, replaced whenever Redis is found empty. */
  epoch: `${keyPrefix}:export:epoch`,
  /** Channel: announces which replica took which sink's lease. */
  taken: `${keyPrefix}:export:taken`,
  /** Channel: the report of a sink's last cycle, for the replicas that show it; see fleet-reports.ts. */
  reported: `${keyPrefix}:export:reported`,
} as const;

function prefixOf(key: string): string {
  const sink = sinkOfKey(key);
  return `telemetryd:export:{${sink}}${sink === key ? "" : ":late"}`;
}

/** Fields of a sink's state. Prefixes distinguish sources from windows. */
export const stateFields = {
  /** The fence of the sink's lease, which every write must present; see lease-scripts.ts. */
  fence: "fence",
  /** Redis time (Unix ms) when that lease was taken. */
  leasedAt: "leasedAt",
  /** JSON: {@link SharedDeliveryState} without its pause; absent while the sink delivers. */
  deliveryState: "deliveryState",
  /** Redis time (Unix ms) before which no replica retries. */
  pausedUntil: "pausedUntil",
  /** JSON: {@link SinkReport} of the last cycle. */
  report: "report",
  /** JSON: what was found out about the receiver. */
  receiver: "receiver",
  /** Bytes of the list of what was sent. */
  sentBytes: "sentBytes",
  /** "id=ordinal" of the last record of each block that may continue, newest first, a space between two. */
  sentBlocks: "sentBlocks",
  /** End of the last record that was removed from it for its size (Unix ms). */
  sentLostTo: "sentLostTo",
  checkpointPrefix: "checkpoint:",
  windowPrefix: "window:",
} as const;

/** The field of a sink's state that holds a counter over all replicas. */
export function countField(name: string): string {
  return `count:${name}`;
}
