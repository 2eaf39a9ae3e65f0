import { expect, test } from "vitest";
import { seriesOf } from "../../../../test/support/store/series.ts";
import { SampleBuffer } from "../../../exporter/series/series.ts";
import { SourceStatistics } from "./source-statistics.ts";

function samplesOf(length: number): SampleBuffer {
  const samples = new SampleBuffer();
  samples.length = length;
  return samples;
}

test("a series counts once, as the same object or another one", () => {
  const statistics = new SourceStatistics();
  const up = seriesOf({ __name__: "up", job: "a" });
  for (const series of [
    up,
    up,
    seriesOf({ __name__: "up", job: "a" }),
    seriesOf({ __name__: "up", job: "b" }),
  ]) {
    statistics.add(series, samplesOf(3));
  }
  expect(statistics.summary()).toEqual({
    ...{ series: 2, samples: 12, isPartial: false },
    metrics: [{ name: "up", series: 2 }],
    labels: [{ name: "job", values: 2 }],
  });
  expect(statistics.examples).toEqual([up.labels, seriesOf({ __name__: "up", job: "b" }).labels]);
});

test("the ten largest metrics and labels, and three examples", () => {
  const statistics = new SourceStatistics();
  for (let metric = 0; metric < 30; metric++) {
    for (let n = 0; n <= metric; n++) {
      statistics.add(seriesOf({ __name__: `m${metric}`, [`l${metric}`]: String(n) }), samplesOf(1));
    }
  }
  const { metrics, labels } = statistics.summary();
  const expected = Array.from({ length: 10 }, (_, index) => 30 - index);
  expect(metrics).toEqual(expected.map((count) => ({ name: `m${count - 1}`, series: count })));
  expect(labels).toEqual(expected.map((count) => ({ name: `l${count - 1}`, values: count })));
  expect(statistics.examples).toHaveLength(3);
});

test("values beyond the limit are not kept, and the counts are lower bounds", () => {
  const statistics = new SourceStatistics();
  for (let n = 0; n < 60_000; n++) statistics.add(seriesOf({ __name__: "m", n: String(n) }), samplesOf(1));
  const { series, labels, isPartial } = statistics.summary();
  expect([series, labels, isPartial]).toEqual([60_000, [{ name: "n", values: 50_000 }], true]);
});
