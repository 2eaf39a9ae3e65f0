import { formatExactCount } from "../../../base/core/human.ts";
import { parseUrl } from "../../../base/core/url.ts";
import type { Condition } from "./conditions.ts";

/**
 * The daemon's current state, as the status page, `/api/v1/status` and `telemetryd status` show it: plain,
 * serializable data. Texts may come from outside (a receiver's response, a policy's name) and are escaped
 * where they are shown. It never contains credentials: addresses go through {@link publicEndpoint}, messages
 * through `redact`.
 */
export interface DaemonStatus {
  readonly version: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly state: "starting" | "running" | "stopping";
  readonly ready: boolean;
  /** This daemon's name among replicas that share the sinks' cycles; absent when it runs all sinks itself. */
  readonly replica?: string;
  /** Parts that currently work with limits, one sentence each; empty when all is well. */
  readonly degraded: readonly string[];
  readonly policies: readonly PolicyView[];
  /** `policies.directory` */
  readonly policyDirectory?: string;
  /** Absent when the daemon exports nothing. */
  readonly source?: SourceView;
  readonly rejected?: RejectedView;
  /** Absent when the daemon runs no gateway. */
  readonly gateway?: GatewayView;
}

/** The gateway that carries out the HTTP proxies of all projects. */
export interface GatewayView {
  /** Gateways with a hostname. */
  readonly programs: number;
  /** Those of them that cannot be carried out. */
  readonly refused: number;
  /** Why the newest are not served; null if they are. */
  readonly problem: string | null;
}

export interface SourceView {
  /** Sanitized by {@link publicEndpoint}. */
  readonly url: string;
  readonly flavor: string;
  /** The last failure, while the store cannot be read; `degraded` has it too, with the time of the first. */
  readonly lastError?: ErrorView;
}

/** The store of samples that receivers rejected. */
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
  /** Sanitized by {@link publicEndpoint}. */
  readonly endpoint: string;
  readonly conditions: readonly Condition[];
  /** RFC 3339: since when it is in its state, the reason of `Delivering`, or of `Accepted` that is False. */
  readonly stateSince?: string;
  /** RFC 3339: the oldest checkpoint of its sources. */
  readonly checkpoint?: string;
  /** Age of the newest delivered sample, `metrics.delay` included. */
  readonly lagMs?: number;
  /**
   * RFC 3339: when the oldest sample that is not delivered is lost, by `delivery.maxBackfill` or the store's
   * retention; absent while the sink delivers, and is not behind.
   */
  readonly losesDataAt?: string;
  /** RFC 3339: when the sink tries again, after a failure. */
  readonly nextAttemptAt?: string;
  /**
   * Samples since the daemon started; if replicas share cycles, of all replicas since they first ran the
   * sink.
   */
  readonly delivered: number;
  readonly rejected: number;
  readonly dropped: number;
  readonly repeated: number;
  /** Late samples (`delivery.lateness`): delivered, also among `delivered`; refused, not among `rejected`. */
  readonly late: number;
  readonly lateRejected: number;
  /** Time not checked for late samples, because the record of what was sent then is gone. */
  readonly uncheckedSeconds: number;
  /** Retried requests, over the same period as `delivered`. */
  readonly retries: number;
  readonly lastError?: ErrorView;
  readonly lastLateRejection?: ErrorView;
  /** The receiver's last response: its HTTP status, and when it came (RFC 3339). */
  readonly lastResponse?: { readonly at: string; readonly status: number };
  /** RFC 3339. */
  readonly lastDeliveredAt?: string;
  /** The replica that ran the last cycle, and its end (RFC 3339); absent unless replicas share cycles. */
  readonly lastCycle?: { readonly replica: string; readonly at: string };
  readonly sources: readonly SinkSourceView[];
  /** Samples delivered in each ten seconds of the last ten minutes, newest last; see core/sparkline.ts. */
  readonly sparkline: readonly number[];
}

export interface SinkSourceView {
  readonly name: string;
  /** Its MetricsQL; of a long one, the beginning. */
  readonly query?: string;
  readonly checkpoint?: string;
  /** Series that it selected in the last minutes; absent before its first reading. */
  readonly series?: number;
  /** Samples that it selected, per minute of sample time, in the last minutes; absent before its first reading. */
  readonly samplesPerMinute?: number;
  readonly error?: string;
}

export interface ErrorView {
  /** RFC 3339. */
  readonly at: string;
  readonly message: string;
}

/** From worst to best. */
export const healthOrder = [
  "failing",
  "retrying",
  "catching-up",
  "starting",
  "up-to-date",
  "paused",
] as const;
/** Derived from a sink's conditions. */
export type SinkHealth = (typeof healthOrder)[number];

/** Derives a sink's health from its conditions. A sink without conditions has not started yet. */
export function sinkHealth(sink: Pick<SinkView, "conditions">): SinkHealth {
  if (findCondition(sink.conditions, "Accepted")?.status === "False") return "failing";
  const delivering = findCondition(sink.conditions, "Delivering");
  if (delivering === undefined || delivering.status === "Unknown") return "starting";
  if (delivering.status === "True") return delivering.reason === "CatchingUp" ? "catching-up" : "up-to-date";
  if (delivering.reason === "Paused") return "paused";
  return delivering.reason === "Retrying" ? "retrying" : "failing";
}

/**
 * The error to show of a sink: why it is not accepted, or its sources cannot be read, or the last one. An
 * error from before its present trouble is not the reason for it.
 */
export function shownError({
  conditions,
  lastError,
  stateSince,
}: Pick<SinkView, "conditions" | "lastError" | "stateSince">): ErrorView | undefined {
  const accepted = findCondition(conditions, "Accepted");
  if (accepted?.status === "False") return { at: accepted.lastTransitionTime, message: accepted.message };
  const delivering = findCondition(conditions, "Delivering");
  if (delivering?.status !== "False" || delivering.reason === "Paused") return lastError;
  const isOld = stateSince !== undefined && (lastError === undefined || lastError.at < stateSince);
  if (!isOld && delivering.reason !== "SourceUnavailable") return lastError;
  return { at: stateSince ?? delivering.lastTransitionTime, message: delivering.message };
}

/** Identifies a sink from one status to the next; without a sink, a policy that has none. */
export function sinkKey({ policy, sink }: { readonly policy: PolicyView; readonly sink?: SinkView }): string {
  return [policy.plane, policy.namespace, policy.name, sink?.name].join("/");
}

export function findCondition(
  conditions: readonly Condition[],
  type: Condition["type"],
): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

/** What to do about late samples that receivers refused: a sentence; undefined when none were. */
export function lateRejectedAdvice(sinks: readonly Pick<SinkView, "lateRejected">[]): string | undefined {
  const refusing = sinks.filter(({ lateRejected }) => lateRejected > 0);
  const samples = refusing.reduce((sum, { lateRejected }) => sum + lateRejected, 0);
  if (samples === 0) return undefined;
  const subject = samples === 1 ? "1 late sample was" : `${formatExactCount(samples)} late samples were`;
  const by = refusing.length === 1 ? "the receiver" : "receivers";
  const remedy = "with storage.tsdb.out_of_order_time_window";
  return `${subject} refused by ${by}; a Prometheus takes ${samples === 1 ? "it" : "them"} ${remedy}`;
}

/** An address without possibly secret parts: userinfo, query, fragment. Text that is no URL is not shown. */
export function publicEndpoint(endpoint: string): string {
  const url = parseUrl(endpoint);
  if (url === undefined) return "(not a URL)";
  const { protocol, host, pathname } = url;
  return `${protocol}//${host}${pathname}`;
}
