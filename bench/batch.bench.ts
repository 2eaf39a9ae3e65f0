import { Bench } from "tinybench";
import { seriesEncoderFor } from "../src/exporter/remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../src/exporter/remote-write/encoding/write-request.ts";
import type { EncodedSeries } from "../src/exporter/series/series.ts";
import { SampleBuffer, Series } from "../src/exporter/series/series.ts";
import { metricLabels } from "./export-body.ts";
import { printNsPerItem } from "./report.ts";
import { newBatcher } from "./support/new-batcher.ts";

/**
 * Cuts a window into requests (partitions, journal entries, labels, samples, snappy), compared with filling a
 * single builder.
 */
const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" });
const bench = new Bench({ time: 500, iterations: 7, warmupTime: 100, warmupIterations: 3 });
const samplesPerRun: Record<string, number> = {};

for (const [count, perLine, maxSamples] of [
  [50_000, 1, 500],
  [50_000, 1, 5_000],
  [5_000, 20, 500],
] as const) {
  const all = Array.from({ length: count }, (_, index) => {
    const labels = Object.entries(metricLabels(index)).map(([name, value]) => ({ name, value }));
    return new Series(labels.sort((a, b) => (a.name < b.name ? -1 : 1)));
  });
  const samples = new SampleBuffer();
  samples.reserve(perLine);
  samples.length = perLine;
  for (let index = 0; index < perLine; index++) {
    samples.timestampsMs[index] = 1_790_000_000_000 + index * 15_000;
    samples.values[index] = index * 1_009.5;
  }
  const shape = `${count} series x ${perLine}, batches of ${maxSamples}`;
  samplesPerRun[`batcher, ${shape}`] = count * perLine;
  bench.add(`batcher, ${shape}`, () => {
    let passed = 0;
    const pass = newBatcher(maxSamples, ({ sampleCount }) => {
      passed += sampleCount;
    });
    const source = pass.source("all");
    for (const series of all) source.onSeries(series, samples);
    pass.finishAll();
    if (passed !== count * perLine) throw new Error("not all passed on");
  });
  const forms = all.map((series) => encoder.encode(series) as EncodedSeries);
  const builder = new WriteRequestBuilder();
  samplesPerRun[`one builder, ${shape}`] = count * perLine;
  bench.add(`one builder, ${shape}`, () => {
    for (const form of forms) {
      builder.append(form, samples, 0, perLine);
      if (builder.sampleCount >= maxSamples) builder.finish();
    }
    builder.reset();
  });
}
await bench.run();
printNsPerItem(bench, samplesPerRun);
