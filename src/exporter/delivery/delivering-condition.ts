import { formatDuration } from "../../base/core/duration.ts";
import { formatExactCount } from "../../base/core/human.ts";
import type { ReasonOf } from "../policy/status/condition-reasons.ts";
import { startingState } from "../policy/status/policy-delivery.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";
import type { TimedState } from "./state-times.ts";
import type { SinkStats } from "./stats/sink-stats.ts";

/**
 * The part of the condition `Delivering` that the current state determines; its times are added elsewhere.
 * The message is made only where it is shown.
 */
export interface CurrentState extends TimedState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: ReasonOf<"Delivering">;
  message(): string;
}

/**
 * The current delivery state of a sink. The receiver's failures precede the source's, because they are what
 * holds data back. While delivery is healthy, permanent losses are reported too.
 */
export function currentState(snapshot: ExporterSnapshot, nowMs: number): CurrentState {
  const { plan, deliveryState, sources, periodMs, stats } = snapshot;
  const behindMs = snapshot.behindMs ?? snapshot.lagMs;
  const isForbidden = deliveryState.kind === "forbidden";
  const state = (
    status: CurrentState["status"],
    reason: CurrentState["reason"],
    message: () => string,
  ): CurrentState => ({ status, reason, isForbidden, message });
  if (plan.paused) return state("False", "Paused", () => "Paused by annotation.");
  if (deliveryState.kind === "suspended" || deliveryState.kind === "forbidden")
    return state("False", "Suspended", () => deliveryState.message);
  if (deliveryState.kind === "retrying") return state("False", "Retrying", () => deliveryState.message);
  const trouble = stats.trouble(nowMs);
  if (trouble !== undefined) return state("False", "Retrying", () => trouble.message);
  const { refusal } = stats;
  if (refusal !== undefined) {
    const message = "Samples are refused, and the search for those to reject continues";
    return state("False", "Retrying", () => `${message}: ${refusal}`);
  }
  const failing = sources.filter(({ error }) => error !== undefined);
  if (failing.length > 0) {
    const message = () => failing.map(({ name, error }) => `${name}: ${error}`).join("; ");
    return state("False", "SourceUnavailable", message);
  }
  const { status, reason, message } = startingState;
  if (behindMs === undefined) return state(status, reason, () => message);
  const { rejected, delivered } = stats.recent(nowMs);
  const losses = () => lossesOf(stats, nowMs);
  if (rejected > 0 && delivered === 0) return state("False", "Rejecting", () => losses().trimStart());
  if (behindMs <= 2 * periodMs) {
    const names = sources.map(({ name }) => name);
    const idleSinceMs = stats.series.idleSinceMs(names, nowMs);
    if (idleSinceMs !== undefined) return state("True", "Idle", () => idleMessage(names.length, idleSinceMs));
    return state("True", "UpToDate", () => `All samples up to the watermark are delivered.${losses()}`);
  }
  // After a restart nothing is known of the receiver yet.
  if (!stats.hasConcluded) return state(status, reason, () => "No request had a response yet.");
  const lag = () => formatDuration(Math.round(behindMs / 1_000) * 1_000);
  return state("True", "CatchingUp", () => `The receiver is ${lag()} behind.${losses()}`);
}

/**
 * In how many ms the oldest sample that a sink has not delivered is lost; undefined while it delivers, and is
 * not behind.
 */
export function losesDataInMs(snapshot: ExporterSnapshot, nowMs: number): number | undefined {
  const { keptMs, lagMs } = snapshot;
  if (keptMs === undefined || lagMs === undefined) return undefined;
  const { status, reason } = currentState(snapshot, nowMs);
  const isBehind = status === "False" || reason === "CatchingUp";
  return isBehind ? Math.max(0, keptMs - lagMs) : undefined;
}

/** A query that is mistyped, or whose exporter is gone, looks like one that is up to date. */
function idleMessage(queries: number, sinceMs: number): string {
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, "Z");
  return `${queries === 1 ? "The query" : "The queries"} selected no series since ${since}.`;
}

/**
 * Sentences, each preceded by a space: rejections of the last ten minutes, and time skipped since the start.
 */
function lossesOf(stats: SinkStats, nowMs: number): string {
  const { lastRejection, skippedSeconds } = stats;
  const { delivered, rejected } = stats.recent(nowMs);
  const share = `${formatExactCount(rejected)} of ${formatExactCount(delivered + rejected)} samples`;
  const refused =
    rejected > 0 ? ` ${share} were rejected in the last 10 minutes: ${lastRejection?.message ?? ""}` : "";
  const skipped =
    skippedSeconds > 0 ? ` ${skippedSeconds} s older than delivery.maxBackfill were skipped.` : "";
  return skipped + refused;
}
