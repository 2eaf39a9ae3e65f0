import { expect, test } from "vitest";
import { deliveringState } from "../../../../test/support/sink/delivering-state.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { delivering } from "../dispatch/delivery-state.ts";
import type { ExporterSnapshot } from "../exporter-snapshot.ts";
import { SinkStats } from "../stats/sink-stats.ts";
import { countsOf, noCounts, parseReport, reportOf, snapshotOfReport } from "./sink-report.ts";

const plan: SinkPlan = {
  policy: { plane: "shop", namespace: "default", name: "export", uid: "u1" },
  generation: 1,
  name: "vm",
  sources: [{ name: "a", metricsql: "up" }],
  endpoint: "http://127.0.0.1/write",
  batch: { timeoutMs: 100, maxSize: 1_000, maxBytes: 2 ** 23 },
  retry: { maxAttempts: 1, backoffMs: 1_000 },
  paused: false,
};
const well: ExporterSnapshot = {
  plan,
  deliveryState: delivering,
  sources: [{ name: "a", checkpointMs: 1_000, error: undefined }],
  lagMs: 0,
  periodMs: 15_000,
  stats: new SinkStats(0),
};
const failing: ExporterSnapshot = {
  ...well,
  deliveryState: { kind: "retrying", times: 2, untilMs: 99, message: "HTTP 503" },
};
const by = (replica: string, nowMs: number) => ({ replica, nowMs });

test("what another replica reports reads as its own snapshot does, and its lag goes on", () => {
  const stats = new SinkStats(0);
  stats.deliver(12, 400, 0);
  stats.reject(3, "out of order", 450);
  stats.skippedSeconds = 60;
  stats.late = 5;
  stats.rejectLate(2, "out of order", 470);
  stats.uncheckedSeconds = 30;
  stats.beginAttempt(300)({ kind: "delivered", status: 204 }, 400);
  stats.series.note("a", { series: 3, samples: 6, spanMs: 30_000 }, 400);
  for (const snapshot of [
    { ...well, stats },
    { ...failing, stats },
  ]) {
    const report = parseReport(JSON.stringify(reportOf(snapshot, undefined, by("a", 500))));
    const shown = snapshotOfReport({ report: report!, counts: countsOf(stats) }, plan, 500);
    expect(deliveringState(shown, 500)).toEqual(deliveringState(snapshot, 500));
    expect(shown.sources).toEqual(snapshot.sources);
    expect(shown.stats).toMatchObject({ delivered: 12, rejected: 3, lastDeliveredAtMs: 400 });
    expect(shown.stats).toMatchObject({ late: 5, lateRejected: 2, uncheckedSeconds: 30 });
    expect(shown.stats.lastLateRejection).toEqual({ atMs: 470, message: "out of order" });
    expect(shown.stats.lastResponse).toEqual({ atMs: 400, status: 204 });
    expect([shown.stats.series.of("a"), shown.stats.series.samplesPerMinute("a")]).toEqual([3, 12]);
  }
  const report = reportOf(well, undefined, by("a", 500));
  const later = snapshotOfReport({ report, counts: countsOf(stats) }, plan, 500 + 60_000);
  expect(later.lagMs).toBe(60_000);
  expect(deliveringState(later, 60_500).reason).toBe("CatchingUp");
  // A clock behind the other replica's does not reduce the lag.
  expect(snapshotOfReport({ report, counts: noCounts }, plan, 0).lagMs).toBe(0);
});

test("an edit that this replica knows counts at once", () => {
  const report = reportOf(well, undefined, by("a", 500));
  const shown = snapshotOfReport({ report, counts: noCounts }, { ...plan, paused: true }, 500);
  expect(deliveringState(shown, 500).reason).toBe("Paused");
});

test("what stays the case from one replica's cycle to the next one's keeps its time", () => {
  const first = reportOf(failing, undefined, by("a", 1_000));
  const second = reportOf(failing, first, by("b", 2_000));
  const third = reportOf(well, second, by("a", 3_000));
  expect([first, second, third].map(({ status, sinceMs }) => [status, sinceMs])).toEqual([
    ["False", 1_000],
    ["False", 1_000],
    ["True", 3_000],
  ]);
});

test("the newest events of all replicas are kept", () => {
  const [older, newer] = [new SinkStats(0), new SinkStats(0)];
  newer.rejectLate(1, "new", 700);
  older.rejectLate(1, "old", 600);
  older.deliver(1, 100, 0);
  newer.deliver(1, 200, 0);
  older.fail("new", 900);
  newer.fail("old", 800);
  const first = reportOf({ ...well, stats: newer }, undefined, by("a", 1_000));
  const second = reportOf({ ...well, stats: older }, first, by("b", 2_000));
  expect(second).toMatchObject({ lastDeliveredAtMs: 200, lastError: { atMs: 900, message: "new" } });
  expect(second.lastLateRejection).toEqual({ atMs: 700, message: "new" });
  const third = reportOf(well, second, by("c", 3_000));
  expect([third.lastError, third.lastLateRejection]).toEqual([second.lastError, second.lastLateRejection]);
});

test.each([undefined, null, "", "x", "{}", '{"replica":"a"}', "[1]"])("%j is no report", (text) => {
  expect(parseReport(text)).toBeUndefined();
});
