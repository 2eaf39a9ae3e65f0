import { parseUrl } from "../../../base/core/url.ts";
import type { Condition } from "./conditions.ts";

/**
 * What the daemon does at this moment, as the status page, `/api/v1/status` and `telemetryd status` show it: plain
 * data, safe to serialize. Texts may come from outside (a receiver's response, a policy's name) and are escaped where
 * they are shown. No credential is ever in it: addresses go through {@link publicEndpoint}, messages through `redact`.
 */
export interface DaemonStatus {
  readonly version: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly state: "starting" | "running" | "stopping";
  readonly ready: boolean;
  /** The name of this daemon among those that share the cycles of the sinks; absent where it runs all of them itself. */
  readonly replica?: string;
  /** What works with limits at present, one sentence each; empty when all is well. */
  readonly degraded: readonly string[];
  readonly policies: readonly PolicyView[];
  /** Absent where the daemon exports nothing. */
  readonly source?: SourceView;
  readonly rejected?: RejectedView;
}

export interface SourceView {
  /** Through {@link publicEndpoint}. */
  readonly url: string;
  readonly flavor: string;
  readonly lastError?: ErrorView;
}

/** The store of samples that receivers refused for good. */
export interface RejectedView {
  readonly batches: number;
  readonly bytes: number;
  readonly maxBytes: number;
}

export interface PolicyView {
  readonly plane: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly conditions: readonly Condition[];
  readonly sinks: readonly SinkView[];
}

export interface SinkView {
  readonly name: string;
  /** Through {@link publicEndpoint}. */
  readonly endpoint: string;
  readonly conditions: readonly Condition[];
  /** RFC 3339: the oldest checkpoint of its sources. */
  readonly checkpoint?: string;
  /** Settled time minus the checkpoint. */
  readonly lagMs?: number;
  /** Samples since the daemon started; of replicas that share the cycles, those of all since they first ran the sink. */
  readonly delivered: number;
  readonly rejected: number;
  readonly dropped: number;
  readonly repeated: number;
  /** Requests that were sent again, since then. */
  readonly retries: number;
  readonly lastError?: ErrorView;
  /** RFC 3339. */
  readonly lastDeliveredAt?: string;
  /** Which replica ran the last cycle, and when it ended (RFC 3339); absent where replicas do not share cycles. */
  readonly lastCycle?: { readonly replica: string; readonly at: string };
  readonly sources: readonly SinkSourceView[];
  /** Samples delivered in each ten seconds of the last ten minutes, newest last; see core/sparkline.ts. */
  readonly sparkline: readonly number[];
}

export interface SinkSourceView {
  readonly name: string;
  readonly checkpoint?: string;
  readonly error?: string;
}

export interface ErrorView {
  /** RFC 3339. */
  readonly at: string;
  readonly message: string;
}

/** How a sink does, from worst to best; what its conditions amount to. */
export type SinkHealth = "failing" | "retrying" | "catching-up" | "starting" | "up-to-date" | "paused";

/** Reads a sink's health off its conditions. A sink without conditions has not started yet. */
export function sinkHealth(sink: Pick<SinkView, "conditions">): SinkHealth {
  if (findCondition(sink.conditions, "Accepted")?.status === "False") return "failing";
  const delivering = findCondition(sink.conditions, "Delivering");
  if (delivering === undefined || delivering.status === "Unknown") return "starting";
  if (delivering.status === "True") return delivering.reason === "CatchingUp" ? "catching-up" : "up-to-date";
  if (delivering.reason === "Paused") return "paused";
  return delivering.reason === "Retrying" ? "retrying" : "failing";
}

export function findCondition(
  conditions: readonly Condition[],
  type: Condition["type"],
): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** An address without what may be secret in it: userinfo, query, fragment. A text that is no URL shows nothing. */
export function publicEndpoint(endpoint: string): string {
  const url = parseUrl(endpoint);
  if (url === undefined) return "(not a URL)";
  const { protocol, host, pathname } = url;
  return `${protocol}//${host}${pathname}`;
}
