import { formatDuration } from "../../base/core/duration.ts";
import type { ReasonOf } from "../policy/status/condition-reasons.ts";
import { startingState } from "../policy/status/policy-delivery.ts";
import type { ExporterSnapshot } from "./exporter.ts";
import type { SinkStats } from "./sink-stats.ts";

/**
 * The part of the condition `Delivering` that the current state determines; its times are added elsewhere.
 */
export interface DeliveringState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: ReasonOf<"Delivering">;
  readonly message: string;
}

const recentlyMs = 600_000;

/**
 * The current delivery state of a sink. The receiver's failures precede the source's, because they are what
 * holds data back. While delivery is healthy, permanent losses are reported too.
 */
export function deliveringState(snapshot: ExporterSnapshot, nowMs: number): DeliveringState {
  const { plan, deliveryState, sources, lagMs, periodMs } = snapshot;
  if (plan.paused) return { status: "False", reason: "Paused", message: "Paused by annotation." };
  if (deliveryState.kind === "suspended" || deliveryState.kind === "forbidden")
    return { status: "False", reason: "Suspended", message: deliveryState.message };
  if (deliveryState.kind === "retrying")
    return { status: "False", reason: "Retrying", message: deliveryState.message };
  const trouble = snapshot.stats.trouble(nowMs);
  if (trouble !== undefined) return { status: "False", reason: "Retrying", message: trouble.message };
  const failing = sources.filter(({ error }) => error !== undefined);
  if (failing.length > 0) {
    const message = failing.map(({ name, error }) => `${name}: ${error}`).join("; ");
    return { status: "False", reason: "SourceUnavailable", message };
  }
  if (lagMs === undefined) return startingState;
  const losses = lossesOf(snapshot.stats, nowMs);
  if (lagMs <= 2 * periodMs)
    return {
      status: "True",
      reason: "UpToDate",
      message: `All samples up to the watermark are delivered.${losses}`,
    };
  const lag = formatDuration(Math.round(lagMs / 1_000) * 1_000);
  return { status: "True", reason: "CatchingUp", message: `The receiver is ${lag} behind.${losses}` };
}

/**
 * Sentences, each preceded by a space: rejections of the last ten minutes, and time skipped since the start.
 */
function lossesOf({ lastRejection, skippedSeconds }: SinkStats, nowMs: number): string {
  const refused =
    lastRejection !== undefined && nowMs - lastRejection.atMs < recentlyMs
      ? ` Samples were refused for good in the last ten minutes: ${lastRejection.message}`
      : "";
  const skipped =
    skippedSeconds > 0 ? ` ${skippedSeconds} s older than delivery.maxBackfill were skipped.` : "";
  return skipped + refused;
}
