import { formatDuration } from "../../base/core/duration.ts";
import { formatExactCount } from "../../base/core/human.ts";
import type { ReasonOf } from "../policy/status/condition-reasons.ts";
import { startingState } from "../policy/status/policy-delivery.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";
import type { TimedState } from "./state-times.ts";
import type { SinkStats } from "./stats/sink-stats.ts";

/**
 * The part of the condition `Delivering` that the current state determines; its times are added elsewhere.
 */
export interface DeliveringState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: ReasonOf<"Delivering">;
  readonly message: string;
}

/**
 * The current delivery state of a sink. The receiver's failures precede the source's, because they are what
 * holds data back. While delivery is healthy, permanent losses are reported too.
 */
export function deliveringState(snapshot: ExporterSnapshot, nowMs: number): DeliveringState {
  const { plan, deliveryState, sources, periodMs } = snapshot;
  const behindMs = snapshot.behindMs ?? snapshot.lagMs;
  if (plan.paused) return { status: "False", reason: "Paused", message: "Paused by annotation." };
  if (deliveryState.kind === "suspended" || deliveryState.kind === "forbidden")
    return { status: "False", reason: "Suspended", message: deliveryState.message };
  if (deliveryState.kind === "retrying")
    return { status: "False", reason: "Retrying", message: deliveryState.message };
  const trouble = snapshot.stats.trouble(nowMs);
  if (trouble !== undefined) return { status: "False", reason: "Retrying", message: trouble.message };
  const { refusal } = snapshot.stats;
  if (refusal !== undefined) {
    const message = `Samples are refused, and the search for those to reject continues: ${refusal}`;
    return { status: "False", reason: "Retrying", message };
  }
  const failing = sources.filter(({ error }) => error !== undefined);
  if (failing.length > 0) {
    const message = failing.map(({ name, error }) => `${name}: ${error}`).join("; ");
    return { status: "False", reason: "SourceUnavailable", message };
  }
  if (behindMs === undefined) return startingState;
  const { rejected, delivered } = snapshot.stats.recent(nowMs);
  const losses = lossesOf(snapshot.stats, nowMs);
  if (rejected > 0 && delivered === 0) {
    return { status: "False", reason: "Rejecting", message: losses.trimStart() };
  }
  if (behindMs <= 2 * periodMs) {
    const idle = idleState(snapshot, nowMs);
    if (idle !== undefined) return idle;
    return {
      status: "True",
      reason: "UpToDate",
      message: `All samples up to the watermark are delivered.${losses}`,
    };
  }
  // After a restart nothing is known of the receiver yet.
  if (!snapshot.stats.hasConcluded) return { ...startingState, message: "No request had a response yet." };
  const lag = formatDuration(Math.round(behindMs / 1_000) * 1_000);
  return { status: "True", reason: "CatchingUp", message: `The receiver is ${lag} behind.${losses}` };
}

/**
 * In how many ms the oldest sample that a sink has not delivered is lost; undefined while it delivers, and is
 * not behind.
 */
export function losesDataInMs(snapshot: ExporterSnapshot, nowMs: number): number | undefined {
  const { keptMs, lagMs } = snapshot;
  if (keptMs === undefined || lagMs === undefined) return undefined;
  const { status, reason } = deliveringState(snapshot, nowMs);
  const isBehind = status === "False" || reason === "CatchingUp";
  return isBehind ? Math.max(0, keptMs - lagMs) : undefined;
}

/** The state of a sink, with what else counts for the times of a sink's states. */
export function timedState(snapshot: ExporterSnapshot, nowMs: number): DeliveringState & TimedState {
  return { ...deliveringState(snapshot, nowMs), isForbidden: snapshot.deliveryState.kind === "forbidden" };
}

/** A query that is mistyped, or whose exporter is gone, looks like one that is up to date. */
function idleState({ sources: read, stats }: ExporterSnapshot, nowMs: number): DeliveringState | undefined {
  const sources = read.map(({ name }) => name);
  const sinceMs = stats.series.idleSinceMs(sources, nowMs);
  if (sinceMs === undefined) return undefined;
  const since = new Date(sinceMs).toISOString().replace(/\.\d+Z$/, "Z");
  const subject = sources.length === 1 ? "The query" : "The queries";
  return { status: "True", reason: "Idle", message: `${subject} selected no series since ${since}.` };
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
