import { expect, test } from "vitest";
import type { SinkPlan } from "../policy/spec/types.ts";
import { deliveringState } from "./delivering-condition.ts";
import type { ExporterSnapshot } from "./exporter.ts";
import { delivering } from "./send/delivery-state.ts";
import { SinkStats } from "./sink-stats.ts";

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

function statsFailingSince(beganMs: number): SinkStats {
  const stats = new SinkStats(0);
  const verdict = { kind: "retry", reason: "server_error", message: "503", responseLost: false } as const;
  stats.beginAttempt(beganMs)(verdict, beganMs + 1);
  return stats;
}

const trouble = { times: 1, untilMs: 0, message: "503" };

test.each<[string, Partial<ExporterSnapshot>, string, string, string]>([
  ["up to date", {}, "True", "UpToDate", "All samples up to the watermark are delivered."],
  [
    "two cycles behind is still up to date",
    { lagMs: 30_000 },
    "True",
    "UpToDate",
    "All samples up to the watermark are delivered.",
  ],
  ["further behind", { lagMs: 90_400 }, "True", "CatchingUp", "The receiver is 1m30s behind."],
  [
    "refused lately",
    { stats: statsWith({ lastRejection: { atMs: nowMs - 599_999, message: "400 bad" } }) },
    "True",
    "UpToDate",
    "All samples up to the watermark are delivered. Samples were refused for good in the last ten minutes: 400 bad",
  ],
  [
    "refused long ago",
    { stats: statsWith({ lastRejection: { atMs: nowMs - 600_000, message: "400 bad" } }) },
    "True",
    "UpToDate",
    "All samples up to the watermark are delivered.",
  ],
  [
    "skipped",
    { lagMs: 90_400, stats: statsWith({ skippedSeconds: 60 }) },
    "True",
    "CatchingUp",
    "The receiver is 1m30s behind. 60 s older than delivery.maxBackfill were skipped.",
  ],
  ["not started", { lagMs: undefined }, "Unknown", "Starting", "The first cycle has not run yet."],
  ["retrying", { deliveryState: { kind: "retrying", ...trouble } }, "False", "Retrying", "503"],
  ["attempts fail for some time", { stats: statsFailingSince(nowMs - 5_000) }, "False", "Retrying", "503"],
  [
    "attempts fail since just now",
    { stats: statsFailingSince(nowMs - 4_999) },
    "True",
    "UpToDate",
    "All samples up to the watermark are delivered.",
  ],
  ["suspended", { deliveryState: { kind: "suspended", ...trouble } }, "False", "Suspended", "503"],
  ["forbidden", { deliveryState: { kind: "forbidden", ...trouble } }, "False", "Suspended", "503"],
  [
    "paused before all",
    { plan: { paused: true } as SinkPlan, deliveryState: { kind: "retrying", ...trouble } },
    "False",
    "Paused",
    "Paused by annotation.",
  ],
  [
    "source",
    { sources: [{ name: "up", checkpointMs: 1, error: "no response" }] },
    "False",
    "SourceUnavailable",
    "up: no response",
  ],
])("%s", (_, change, status, reason, message) => {
  expect(deliveringState({ ...well, ...change }, nowMs)).toEqual({ status, reason, message });
});
