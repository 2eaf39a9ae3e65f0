import { z } from "zod";
import { defined } from "../../../base/core/defined.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { currentState } from "../delivering-condition.ts";
import { delivering } from "../dispatch/delivery-state.ts";
import type { ExporterSnapshot } from "../exporter-snapshot.ts";
import type { StateSince, TimedState } from "../state-times.ts";
import { SinkStats } from "../stats/sink-stats.ts";

const event = z.object({ atMs: z.number(), message: z.string() });

const schema = z.object({
  replica: z.string(),
  /** End of the cycle. */
  atMs: z.number(),
  /** Status of the condition `Delivering`, and the time of its last change. */
  status: z.enum(["True", "False", "Unknown"]),
  sinceMs: z.number(),
  /** Its reason, and since when. */
  reason: z.string().optional(),
  reasonSinceMs: z.number().optional(),
  deliveryState: z
    .object({
      kind: z.enum(["retrying", "suspended", "forbidden"]),
      times: z.number(),
      message: z.string(),
    })
    .optional(),
  sources: z.array(
    z.object({ name: z.string(), checkpointMs: z.number().optional(), error: z.string().optional() }),
  ),
  lagMs: z.number().optional(),
  behindMs: z.number().optional(),
  keptMs: z.number().optional(),
  /** Unix ms. */
  nextAttemptMs: z.number().optional(),
  /** Of each source's last readings, by its name. */
  series: z.array(z.tuple([z.string(), z.number()])).optional(),
  samplesPerMinute: z.array(z.tuple([z.string(), z.number()])).optional(),
  periodMs: z.number(),
  lastDeliveredAtMs: z.number().optional(),
  lastRejection: event.optional(),
  lastLateRejection: event.optional(),
  lastError: event.optional(),
  lastResponse: z.object({ atMs: z.number(), status: z.number() }).optional(),
  /** Samples of the last ten minutes. */
  recent: z.object({ delivered: z.number(), rejected: z.number() }).optional(),
  refusal: z.string().optional(),
});

/**
 * Report of the replica that ran a sink's last cycle, for the status of all others. Times are Unix ms by that
 * replica's clock.
 */
export type SinkReport = z.infer<typeof schema>;

/** Counters over all replicas, since the fleet first ran the sink; names are those of {@link SinkStats}. */
export const countNames = [
  "delivered",
  "rejected",
  "dropped",
  "repeated",
  "retries",
  "skippedSeconds",
  "late",
  "lateRejected",
  "uncheckedSeconds",
] as const;
export type SinkCounts = Readonly<Record<(typeof countNames)[number], number>>;

export const noCounts: SinkCounts = {
  delivered: 0,
  rejected: 0,
  dropped: 0,
  repeated: 0,
  retries: 0,
  skippedSeconds: 0,
  late: 0,
  lateRejected: 0,
  uncheckedSeconds: 0,
};

export function countsOf(stats: SinkStats): SinkCounts {
  return mapCounts((name) => stats[name]);
}

export function mapCounts(value: (name: keyof SinkCounts) => number): SinkCounts {
  return Object.fromEntries(countNames.map((name) => [name, value(name)])) as unknown as SinkCounts;
}

/** @returns undefined for a text that is not a report */
export function parseReport(text: string | null | undefined): SinkReport | undefined {
  if (text === undefined || text === null) return undefined;
  try {
    return schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/**
 * Creates the report at the end of a cycle.
 *
 * @param before the report of the previous cycle, from any replica; an unchanged condition keeps its time
 */
export function reportOf(
  snapshot: ExporterSnapshot,
  before: SinkReport | undefined,
  { replica, nowMs }: { readonly replica: string; readonly nowMs: number },
): SinkReport {
  const { deliveryState, sources, lagMs, behindMs, keptMs, nextAttemptMs, periodMs, stats } = snapshot;
  const state = currentState(snapshot, nowMs);
  const { status, reason } = state;
  const since = snapshot.times?.since(state);
  const lastDeliveredAtMs = latest(stats.lastDeliveredAtMs, before?.lastDeliveredAtMs, (atMs) => atMs);
  const lastRejection = latest(stats.lastRejection, before?.lastRejection, ({ atMs }) => atMs);
  const lastLateRejection = latest(stats.lastLateRejection, before?.lastLateRejection, ({ atMs }) => atMs);
  const lastError = latest(stats.lastError, before?.lastError, ({ atMs }) => atMs);
  const lastResponse = latest(stats.lastResponse, before?.lastResponse, ({ atMs }) => atMs);
  const ofSources = (count: (name: string) => number | undefined): [string, number][] =>
    sources.map(({ name }) => [name, count(name) ?? 0]);
  return defined({
    replica,
    atMs: nowMs,
    status,
    periodMs,
    sinceMs: before?.status === status ? before.sinceMs : (since?.statusMs ?? nowMs),
    reason,
    reasonSinceMs: (before?.reason === reason ? before.reasonSinceMs : since?.reasonMs) ?? nowMs,
    deliveryState:
      deliveryState.kind === "delivering"
        ? undefined
        : { kind: deliveryState.kind, times: deliveryState.times, message: deliveryState.message },
    sources: sources.map(({ name, checkpointMs, error }) => defined({ name, checkpointMs, error })),
    lagMs,
    behindMs,
    keptMs,
    nextAttemptMs,
    series: ofSources((name) => stats.series.of(name)),
    samplesPerMinute: ofSources((name) => stats.series.samplesPerMinute(name)),
    lastDeliveredAtMs,
    lastRejection,
    lastLateRejection,
    lastError,
    lastResponse,
    recent: stats.recent(nowMs),
    refusal: stats.refusal,
  });
}

function latest<T>(one: T | undefined, other: T | undefined, atMs: (value: T) => number): T | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return atMs(one) >= atMs(other) ? one : other;
}

/** A sink's snapshot from its report, with the lag as of now. `plan` is this replica's own. */
export function snapshotOfReport(
  { report, counts }: { readonly report: SinkReport; readonly counts: SinkCounts },
  plan: SinkPlan,
  nowMs: number,
): ExporterSnapshot {
  const { deliveryState, sources, lagMs, behindMs, series = [], periodMs, atMs } = report;
  const { lastDeliveredAtMs, lastRejection, lastLateRejection, lastError, lastResponse } = report;
  const { recent, refusal } = report;
  const stats = new SinkStats(0);
  const seen = { lastDeliveredAtMs, lastRejection, lastLateRejection, lastError, lastResponse, refusal };
  Object.assign(stats, counts, seen);
  if (recent !== undefined) stats.restoreRecent(recent, atMs);
  const grownMs = Math.max(0, nowMs - atMs);
  const samples = new Map(report.samplesPerMinute);
  for (const [source, count] of series) {
    const counts = { series: count, samples: samples.get(source) ?? 0, spanMs: 60_000 };
    stats.series.note(source, counts, atMs);
  }
  return {
    plan,
    // Only the replica that runs the sink knows the pause.
    deliveryState: deliveryState === undefined ? delivering : { ...deliveryState, untilMs: 0 },
    sources: sources.map(({ name, checkpointMs, error }) => ({ name, checkpointMs, error })),
    lagMs: lagMs === undefined ? undefined : lagMs + grownMs,
    behindMs: behindMs === undefined ? undefined : behindMs + grownMs,
    keptMs: report.keptMs,
    nextAttemptMs: report.nextAttemptMs,
    periodMs,
    stats,
    times: { since: (state) => sinceOf(report, state) },
  };
}

/** A state that has come since the report, by time alone, counts from the report. */
function sinceOf(report: SinkReport, { status, reason }: TimedState): StateSince {
  const { sinceMs, reasonSinceMs = sinceMs, atMs } = report;
  return {
    statusMs: report.status === status ? sinceMs : atMs,
    reasonMs: report.reason === reason ? reasonSinceMs : atMs,
    targetMs: report.deliveryState?.kind === "forbidden" ? reasonSinceMs : 0,
  };
}
