import { formatExactCount } from "../../../base/core/human.ts";
import type { ReasonOf } from "../../../exporter/policy/status/condition-reasons.ts";
import type { PolicyStatus } from "../../../exporter/policy/status/conditions.ts";
import { findCondition } from "../../../exporter/policy/status/status-view.ts";
import type { EventReport } from "../events/kube-event.ts";
import type { SeenStatus } from "./status-decision.ts";

/** Samples that a sink has lost since the daemon started. */
export interface SinkLosses {
  readonly name: string;
  readonly rejected: number;
  readonly lastRejection?: string | undefined;
  readonly dropped: number;
  readonly skippedSeconds: number;
}

export interface SinkReport {
  readonly sink: string;
  readonly report: EventReport;
}

/** Losses that continue are reported this often. */
export const lossPauseMs = 300_000;

/**
 * Events about the sinks of one policy: their transitions and their losses.
 *
 * A transition is that of the written status, so of several replicas, and after a restart, only the writer of
 * the transition reports it.
 */
export class DeliveryEvents {
  /** Sinks that were last `Suspended` or `Retrying`, and have not delivered since. */
  readonly #failing = new Set<string>();
  readonly #losses = new Map<string, { readonly reported: SinkLosses; readonly atMs: number }>();

  /** @param before the status that `written` replaced */
  statusWritten(before: SeenStatus, written: PolicyStatus): SinkReport[] {
    this.#forgetOthers(new Set(written.sinks.map(({ name }) => name)));
    return written.sinks.flatMap(({ name, conditions }) => {
      const previous = before.get(`${name} Delivering`);
      if (previous?.status === "True") this.#failing.delete(name);
      else if (isFailure(previous?.reason)) this.#failing.add(name);
      const delivering = findCondition(conditions, "Delivering");
      if (delivering === undefined) {
        // Another replica runs it, and will report its recovery.
        if (findCondition(conditions, "Accepted")?.status === "True") this.#failing.delete(name);
        return [];
      }
      const { status, reason, message } = delivering;
      if (status === "True") {
        if (!this.#failing.delete(name)) return [];
        return [reportOn(name, "Normal", "Recovered", message)];
      }
      if (!isFailure(reason)) return [];
      this.#failing.add(name);
      return reason === previous?.reason ? [] : [reportOn(name, "Warning", reason, message)];
    });
  }

  /** A sink that is removed and added again has no past. */
  #forgetOthers(sinks: ReadonlySet<string>): void {
    for (const name of this.#failing) if (!sinks.has(name)) this.#failing.delete(name);
    for (const name of this.#losses.keys()) if (!sinks.has(name)) this.#losses.delete(name);
  }

  /** @param nowMs monotonic */
  lost(losses: readonly SinkLosses[], nowMs: number): SinkReport[] {
    return losses.flatMap((now) => {
      const last = this.#losses.get(now.name);
      if (last !== undefined && nowMs - last.atMs < lossPauseMs) return [];
      const reports = lossReports(last?.reported, now);
      if (reports.length > 0) this.#losses.set(now.name, { reported: now, atMs: nowMs });
      return reports;
    });
  }
}

function isFailure(reason: string | undefined): reason is "Suspended" | "Retrying" {
  const failures: readonly unknown[] = ["Suspended", "Retrying"] satisfies ReasonOf<"Delivering">[];
  return failures.includes(reason);
}

/** What was lost since `before`; counters that fell have begun again. */
export function lossReports(before: SinkLosses | undefined, now: SinkLosses): SinkReport[] {
  const since = (count: "rejected" | "dropped" | "skippedSeconds") => {
    const known = before?.[count] ?? 0;
    return now[count] >= known ? now[count] - known : now[count];
  };
  const { name, lastRejection = "" } = now;
  const [rejected, dropped, skipped] = [since("rejected"), since("dropped"), since("skippedSeconds")];
  const samples = [
    ...(rejected > 0 ? [`${formatExactCount(rejected)} samples were rejected: ${lastRejection}`] : []),
    ...(dropped > 0 ? [`${formatExactCount(dropped)} samples were dropped after their last attempt`] : []),
  ];
  const skips = `${formatExactCount(skipped)} s older than delivery.maxBackfill were skipped`;
  return [
    ...(samples.length > 0 ? [reportOn(name, "Warning", "SamplesRejected", samples.join("; "))] : []),
    ...(skipped > 0 ? [reportOn(name, "Warning", "Skipped", skips)] : []),
  ];
}

function reportOn(sink: string, type: EventReport["type"], reason: string, message: string): SinkReport {
  return { sink, report: { type, reason, message: `${sink}: ${message}` } };
}
