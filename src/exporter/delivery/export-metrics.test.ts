import { expect, test } from "vitest";
import { sinkPlan } from "../../../test/support/sink/exporter-deps.ts";
import { delivering } from "./dispatch/delivery-state.ts";
import { sinkExposition, sinkMetrics } from "./export-metrics.ts";
import type { ExporterSnapshot } from "./exporter-snapshot.ts";
import { SinkStats } from "./stats/sink-stats.ts";

function snapshotOf(policy: string, stats: SinkStats): ExporterSnapshot {
  return {
    plan: sinkPlan({ policy: { plane: "directory", namespace: "default", name: policy, uid: "-" } }),
    deliveryState: delivering,
    sources: [],
    lagMs: 1_000,
    periodMs: 1_000,
    stats,
  };
}

const labelsOf = (policy: string) => `{plane="directory",namespace="default",policy="${policy}",sink="sink"}`;

test("each metric has its lines together, one a sink, and none where nothing is known", () => {
  const first = new SinkStats(0);
  first.read = 3;
  const second = new SinkStats(0);
  second.lastDeliveredAtMs = 1_500;
  const text = [...sinkExposition([snapshotOf("a", first), snapshotOf("b", second)], 0)].join("");
  expect(text).toContain(
    [
      "",
      "# HELP telemetryd_sink_samples_read_total Samples read from the metrics store for a sink.",
      "# TYPE telemetryd_sink_samples_read_total counter",
      `telemetryd_sink_samples_read_total${labelsOf("a")} 3`,
      `telemetryd_sink_samples_read_total${labelsOf("b")} 0`,
      "",
    ].join("\n"),
  );
  expect(text).toContain(`telemetryd_sink_lag_seconds${labelsOf("a")} 1\n`);
  expect(text.match(/^telemetryd_sink_last_delivery_timestamp_seconds.*$/gm)).toEqual([
    `telemetryd_sink_last_delivery_timestamp_seconds${labelsOf("b")} 1.5`,
  ]);
});

test("late samples: delivered, refused, too late, and how they were looked for", () => {
  const stats = new SinkStats(0);
  Object.assign(stats, { late: 1, tooLate: 3, vanished: 4, uncheckedSeconds: 5 });
  Object.assign(stats, { lateChecks: 6, lateCheckFailures: 7, lateCheckSeconds: 0.5 });
  stats.rejectLate(2, "out of order", 0);
  const text = [...sinkExposition([snapshotOf("a", stats)], 0)].join("");
  for (const [name, value] of [
    ["samples_late", 1],
    ["samples_late_rejected", 2],
    ["samples_too_late", 3],
    ["samples_vanished", 4],
    ["unchecked_seconds", 5],
    ["late_checks", 6],
    ["late_check_failures", 7],
    ["late_check_seconds", 0.5],
    ["samples_rejected", 0],
  ]) {
    expect(text).toContain(`\ntelemetryd_sink_${name}_total${labelsOf("a")} ${value}\n`);
  }
});

test("label values are escaped", () => {
  const text = [...sinkExposition([snapshotOf('a"b\\c\nd', new SinkStats(0))], 0)].join("");
  expect(text).toContain(labelsOf('a\\"b\\\\c\\nd'));
});

test("the pieces of many sinks are small, and hold each line once", () => {
  const snapshots = Array.from({ length: 1_000 }, (_, index) => snapshotOf(`p-${index}`, new SinkStats(0)));
  const pieces = [...sinkExposition(snapshots, 0)];
  const lines = pieces.join("").split("\n");
  const series = lines.filter((line) => line.startsWith("telemetryd_"));
  expect(new Set(series).size).toBe(series.length);
  // Nothing was delivered or read yet, and nothing is about to be lost.
  expect(series.length).toBe(1_000 * (sinkMetrics.length - 3));
  expect(Math.max(...pieces.map((piece) => piece.split("\n").length))).toBeLessThan(300);
});
