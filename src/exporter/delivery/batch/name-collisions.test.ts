import { expect, test } from "vitest";
import { bodyOf, plainShape } from "../../../../test/support/receiver/encoded.ts";
import { remoteWrite1 } from "../../../../test/support/receiver/protocol.ts";
import { destinationWith, exporterDeps, sinkPlan } from "../../../../test/support/sink/exporter-deps.ts";
import { MemorySentLog } from "../../../../test/support/sink/memory-sent-log.ts";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import type { Clock } from "../../../base/core/clock.ts";
import type { SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { SampleReader } from "../../metrics-store/ports/sample-reader.ts";
import { seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter } from "../exporter.ts";
import type { LateDeps } from "../late/late-samples.ts";

const periodMs = 10_000;

/**
 * A sink that drops the label `pod`; its store has two pods and a third series, with a sample per second
 * each.
 */
function newSink(late?: LateDeps, counter?: SampleCounter) {
  const world = { nowMs: 1_000_000, reads: 0, delivered: [] as number[] };
  const pods = ["a", "b"].map((pod) => seriesOf({ __name__: "up", pod }));
  const other = seriesOf("other");
  const encoder = seriesEncoderFor({ ...plainShape, dropLabels: ["pod"] });
  const clock: Clock = {
    nowMs: () => world.nowMs,
    monotonicMs: () => world.nowMs,
    sleep: (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(signal.reason as Error)),
      ),
  };
  const reader: SampleReader = {
    storeNowMs: () => world.nowMs,
    read: async ({ window }, consumer) => {
      // The store returns its series in another order each time.
      const order = world.reads++ % 2 === 0 ? [...pods, other] : [other, ...pods.toReversed()];
      const times: number[] = [];
      for (let ms = window.fromMs + 1_000; ms <= window.toMs; ms += 1_000) times.push(ms);
      const samples = samplesAt(...times);
      for (const series of order) consumer.onSeries(series, samples);
      const count = samples.length * order.length;
      return { kind: "complete", series: 3, samples: count, bytes: 0, durationMs: 1, invalidLines: 0 };
    },
  };
  const deps = exporterDeps({
    store: sinkStore(reader, counter),
    late,
    settings: { maxWindowMs: periodMs, partitionCount: 2 },
    clock,
    destinationOf: () =>
      destinationWith(
        async (request) => {
          const { timeseries } = remoteWrite1.WriteRequest.decode(bodyOf(request));
          for (const { labels, samples } of timeseries!) {
            if (labels![0]!.value !== "up") continue;
            world.delivered.push(...samples!.map(({ timestamp }) => Number(timestamp)));
          }
          return { kind: "delivered", status: 204 };
        },
        { encoder: () => encoder },
      ),
  });
  const exporter = new Exporter(sinkPlan({ sources: [{ name: "all", metricsql: '{__name__!=""}' }] }), deps);
  const never = new AbortController().signal;
  const cycle = async () => {
    await exporter.cycle(new Interruption(), never);
    world.nowMs += periodMs;
  };
  return { world, cycle, stats: () => exporter.snapshot().stats };
}

test("of two series that become one, none is delivered in the windows after the one in which they met", async () => {
  const { world, cycle } = newSink();
  // The first cycle fixes the starting point.
  for (let turn = 0; turn < 6; turn++) await cycle();
  expect(world.reads).toBe(5);
  expect(world.delivered.filter((ms) => ms > 1_000_000 + periodMs)).toEqual([]);
});

test("a reading for late samples takes neither of them for a late one", async () => {
  const lateDeps: LateDeps = {
    sent: new MemorySentLog(1_000),
    times: { horizonMs: 3_600_000, delayMs: 0, quietMs: periodMs, alertMs: periodMs },
    isShared: false,
  };
  const counter: SampleCounter = {
    // Always one more than was read.
    count: async ({ window, of }) => {
      const counts = new Array<number>((window.toMs - window.fromMs) / 1_000).fill(4);
      return of === "samples" ? { kind: "counts", counts, startedMs: Infinity } : { kind: "unsupported" };
    },
  };
  const { world, cycle, stats } = newSink(lateDeps, counter);
  for (let turn = 0; turn < 8; turn++) await cycle();
  expect(world.reads).toBeGreaterThan(8);
  expect(world.delivered.filter((ms) => ms > 1_000_000 + periodMs)).toEqual([]);
  const { late, rejected } = stats();
  // Seven windows of ten samples: both series of the pair, except the one sent in the first window.
  expect({ late, rejected }).toEqual({ late: 0, rejected: 2 * 7 * 10 - 10 });
});
