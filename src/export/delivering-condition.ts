import { formatDuration } from "../core/duration.ts";
import type { ReasonOf } from "../policy/condition-reasons.ts";
import type { ExporterSnapshot } from "./exporter.ts";

/** The part of the condition `Delivering` that the present state decides; times are added where it is kept. */
export interface DeliveringState {
  readonly status: "True" | "False" | "Unknown";
  readonly reason: ReasonOf<"Delivering">;
  readonly message: string;
}

/** How a sink delivers at present. The receiver's trouble comes before the source's: it is what holds data back. */
export function deliveringState(snapshot: ExporterSnapshot): DeliveringState {
  const { plan, standing, sources, lagMs, periodMs } = snapshot;
  if (plan.paused) return { status: "False", reason: "Paused", message: "Paused by annotation." };
  if (standing.kind === "suspended" || standing.kind === "forbidden")
    return { status: "False", reason: "Suspended", message: standing.message };
  if (standing.kind === "retrying") return { status: "False", reason: "Retrying", message: standing.message };
  const failing = sources.filter(({ error }) => error !== undefined);
  if (failing.length > 0) {
    const message = failing.map(({ name, error }) => `${name}: ${error}`).join("; ");
    return { status: "False", reason: "SourceUnavailable", message };
  }
  if (lagMs === undefined)
    return { status: "Unknown", reason: "Starting", message: "The first cycle has not run yet." };
  if (lagMs <= 2 * periodMs)
    return { status: "True", reason: "UpToDate", message: "All settled samples are delivered." };
  const lag = formatDuration(Math.round(lagMs / 1_000) * 1_000);
  return { status: "True", reason: "CatchingUp", message: `The receiver is ${lag} behind.` };
}
