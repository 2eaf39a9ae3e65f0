import type { Clock } from "../../base/core/clock.ts";
import { defined } from "../../base/core/defined.ts";
import { losesDataInMs } from "../../exporter/delivery/delivering-condition.ts";
import type { ExporterSnapshot } from "../../exporter/delivery/exporter-snapshot.ts";
import type { FleetSink } from "../../exporter/delivery/fleet/fleet-reports.ts";
import { countsOf, noCounts, type SinkCounts } from "../../exporter/delivery/fleet/sink-report.ts";
import type { ConditionState } from "../../exporter/policy/status/condition-changes.ts";
import type { Condition } from "../../exporter/policy/status/conditions.ts";
import { type ErrorView, publicEndpoint, type SinkView } from "../../exporter/policy/status/status-view.ts";

/** A sink as it is shown and written back. */
export interface ShownSink {
  readonly name: string;
  readonly conditions: readonly Condition[];
  readonly accepted: ConditionState;
  readonly progress: Progress | undefined;
  /** Since when the sink is in its state (Unix ms). */
  readonly sinceMs: number;
  /** When its endpoint was last blocked, or allowed again (Unix ms); 0 if never. */
  readonly targetMs: number;
}

/** A sink's delivery progress. */
export interface Progress {
  readonly snapshot: ExporterSnapshot;
  /** This daemon runs the sink, so it reports the sink's delivery to the control plane. */
  readonly isOwn: boolean;
  /** The fleet's shared reports on the sink. */
  readonly shared: FleetSink | undefined;
}

/** Up to when the receiver has everything of all sources (Unix ms); undefined if nothing is known of any. */
export function oldestCheckpoint({ sources }: ExporterSnapshot): number | undefined {
  const known = sources.flatMap(({ checkpointMs }) => checkpointMs ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** What status pages and commands show of a sink. */
export function sinkView(
  { name, conditions, progress, sinceMs }: ShownSink,
  endpoint: string | undefined,
  clock: Clock,
): SinkView {
  const shown = endpoint === undefined ? "" : publicEndpoint(endpoint);
  const view = { name, endpoint: shown, conditions, stateSince: timeText(sinceMs) };
  if (progress === undefined) {
    return { ...view, ...countsShown(noCounts), sources: [], sparkline: [] };
  }
  const { snapshot, shared } = progress;
  const { stats, sources, lagMs } = snapshot;
  const checkpointMs = oldestCheckpoint(snapshot);
  const losesInMs = losesDataInMs(snapshot, clock.nowMs());
  const { lastError = shared?.report.lastError, lastDeliveredAtMs } = stats;
  const { lastResponse = shared?.report.lastResponse } = stats;
  const { lastLateRejection = shared?.report.lastLateRejection } = stats;
  return defined({
    ...view,
    checkpoint: timeText(checkpointMs),
    lagMs,
    losesDataAt: losesInMs === undefined ? undefined : timeText(clock.nowMs() + losesInMs),
    nextAttemptAt: timeText(snapshot.nextAttemptMs),
    ...countsShown(shared?.counts ?? countsOf(stats)),
    lastError: lastError && errorView(lastError),
    lastLateRejection: lastLateRejection && errorView(lastLateRejection),
    lastResponse: lastResponse && { at: timeText(lastResponse.atMs), status: lastResponse.status },
    lastDeliveredAt: timeText(lastDeliveredAtMs),
    lastCycle: shared && { replica: shared.report.replica, at: timeText(shared.report.atMs) },
    sources: sources.map(({ name, checkpointMs, error }) =>
      defined({
        name,
        query: queryText(snapshot, name),
        checkpoint: timeText(checkpointMs),
        series: stats.series.of(name),
        samplesPerMinute: stats.series.samplesPerMinute(name),
        error,
      }),
    ),
    sparkline: (shared?.sparkline ?? stats.sparkline).points(clock.monotonicMs()),
  });
}

/** Queries have up to 16 KiB, and there may be thousands of sinks. */
const maxQueryLength = 300;

function queryText({ plan }: ExporterSnapshot, source: string): string | undefined {
  const query = plan.sources.find(({ name }) => name === source)?.metricsql;
  return query !== undefined && query.length > maxQueryLength ? `${query.slice(0, maxQueryLength)}…` : query;
}

function countsShown({ skippedSeconds: _, ...counts }: SinkCounts): Omit<SinkCounts, "skippedSeconds"> {
  return counts;
}

function errorView({ atMs, message }: { atMs: number; message: string }): ErrorView {
  return { at: timeText(atMs), message };
}

/** RFC 3339 of Unix ms. */
export function timeText(ms: number): string;
export function timeText(ms: number | undefined): string | undefined;
export function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
