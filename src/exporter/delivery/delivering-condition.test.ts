import { expect, test } from "vitest";
import { deliveringState } from "../../../test/support/sink/delivering-state.ts";
import type { SinkPlan } from "../policy/spec/types.ts";
import { delivering } from "./dispatch/delivery-state.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";
import { SinkStats } from "./stats/sink-stats.ts";

const nowMs = 1_000_000;
const plan = { paused: false } as SinkPlan;
const well: ExporterSnapshot = {
  plan,
  deliveryState: delivering,
  sources: [{ name: "up", checkpointMs: 1, error: undefined }],
  lagMs: 20_000,
  periodMs: 15_000,
  stats: new SinkStats(0),
};

function statsWith(change: Partial<SinkStats>): SinkStats {
  return Object.assign(new SinkStats(0), change);
}

/** Delivered two minutes ago; rejected at `rejectedMs`, before that. */
function statsOf(delivered: number, rejected: number, rejectedMs: number): SinkStats {
  const stats = new SinkStats(0);
  if (rejected > 0) stats.reject(rejected, "400 bad", rejectedMs);
  if (delivered > 0) stats.deliver(delivered, nowMs - 120_000, 0);
  return stats;
}

function statsFailingSince(beganMs: number): SinkStats {
  const stats = new SinkStats(0);
  const verdict = { kind: "retry", reason: "server_error", message: "503", responseLost: false } as const;
  stats.beginAttempt(beganMs)(verdict, beganMs + 1);
  return stats;
}

/** Of a source that was read each minute for ten minutes. */
function statsOfReadings(series: number): SinkStats {
  const stats = new SinkStats(0);
  for (let minute = 10; minute >= 0; minute--) {
    stats.series.note("up", { series, samples: series, spanMs: 60_000 }, nowMs - minute * 60_000);
  }
  return stats;
}

const trouble = { times: 1, untilMs: 0, message: "503" };

const upToDate = "All samples up to the watermark are delivered.";

test.each<[string, Partial<ExporterSnapshot>, state: string, message: string]>([
  ["up to date", {}, "True UpToDate", upToDate],
  ["two cycles behind is still up to date", { lagMs: 30_000 }, "True UpToDate", upToDate],
  [
    "without a series for ten minutes",
    { stats: statsOfReadings(0) },
    "True Idle",
    "The query selected no series since 1970-01-01T00:06:40Z.",
  ],
  ["with series", { stats: statsOfReadings(1) }, "True UpToDate", upToDate],
  ["a lag that is all delay", { lagMs: 90_400, behindMs: 0 }, "True UpToDate", upToDate],
  ["behind, and nothing concluded", { lagMs: 90_400 }, "Unknown Starting", "No request had a response yet."],
  [
    "further behind",
    { lagMs: 90_400, stats: statsOf(1, 0, 0) },
    "True CatchingUp",
    "The receiver is 1m30s behind.",
  ],
  [
    "rejected lately",
    { stats: statsOf(23_863, 137, nowMs - 480_000) },
    "True UpToDate",
    "All samples up to the watermark are delivered. 137 of 24,000 samples were rejected in the last 10 minutes: 400 bad",
  ],
  [
    "everything rejected lately",
    { stats: statsOf(0, 137, nowMs - 480_000) },
    "False Rejecting",
    "137 of 137 samples were rejected in the last 10 minutes: 400 bad",
  ],
  [
    "a search",
    { stats: statsWith({ refusal: "400 bad" }) },
    "False Retrying",
    "Samples are refused, and the search for those to reject continues: 400 bad",
  ],
  ["rejected long ago", { stats: statsOf(1, 137, nowMs - 660_000) }, "True UpToDate", upToDate],
  [
    "skipped",
    { lagMs: 90_400, stats: statsWith({ delivered: 1, skippedSeconds: 60 }) },
    "True CatchingUp",
    "The receiver is 1m30s behind. 60 s older than delivery.maxBackfill were skipped.",
  ],
  ["not started", { lagMs: undefined }, "Unknown Starting", "The first cycle has not run yet."],
  ["retrying", { deliveryState: { kind: "retrying", ...trouble } }, "False Retrying", "503"],
  ["attempts fail for some time", { stats: statsFailingSince(nowMs - 5_000) }, "False Retrying", "503"],
  ["attempts fail since just now", { stats: statsFailingSince(nowMs - 4_999) }, "True UpToDate", upToDate],
  ["suspended", { deliveryState: { kind: "suspended", ...trouble } }, "False Suspended", "503"],
  ["forbidden", { deliveryState: { kind: "forbidden", ...trouble } }, "False Suspended", "503"],
  [
    "paused before all",
    { plan: { paused: true } as SinkPlan, deliveryState: { kind: "retrying", ...trouble } },
    "False Paused",
    "Paused by annotation.",
  ],
  [
    "source",
    { sources: [{ name: "up", checkpointMs: 1, error: "no response" }] },
    "False SourceUnavailable",
    "up: no response",
  ],
])("%s", (_, change, state, message) => {
  const [status, reason] = state.split(" ");
  expect(deliveringState({ ...well, ...change }, nowMs)).toEqual({ status, reason, message });
});
