/**
 * Encodes remote-write requests: the project's encoder compared with protobufjs, and the label
 * encoding, which is done once per series. `npx tsx bench/encode.bench.ts` prints ns per sample (per series
 * for labels).
 */
import { Bench } from "tinybench";
import { type Protocol, seriesEncoderFor } from "../src/exporter/remote-write/encoding/labels.ts";
import type { RequestBuilder } from "../src/exporter/remote-write/encoding/request.ts";
import { WriteRequestBuilder } from "../src/exporter/remote-write/encoding/write-request.ts";
import { WriteRequestV2Builder } from "../src/exporter/remote-write/encoding/write-request-v2.ts";
import type { EncodedSeries } from "../src/exporter/series/series.ts";
import { SampleBuffer, Series } from "../src/exporter/series/series.ts";
import { remoteWrite1 } from "../test/support/receiver/protocol.ts";

const shape = { externalLabels: {}, dropLabels: [] };
const encoder = seriesEncoderFor({ ...shape, protocol: "1.0" });

/** As in a cluster: two labels are nearly unique to each series, seven are shared by many. */
function makeSeries(index: number): Series {
  const labels = Array.from({ length: 9 }, (_, n) => ({
    name: `label_${n}`,
    value: n < 2 ? `value-${n}-of-series-${index}` : `value-${n}-of-group-${(index * (n + 3)) % 12}`,
  }));
  return new Series([{ name: "__name__", value: "http_requests_total" }, ...labels]);
}

function makeSamples(count: number): SampleBuffer {
  const samples = new SampleBuffer();
  samples.reserve(count);
  samples.length = count;
  for (let index = 0; index < count; index++) {
    samples.timestampsMs[index] = 1_760_000_000_000 + index * 15_000;
    samples.values[index] = Math.random() * 1e6;
  }
  return samples;
}

function encodedForms(seriesCount: number, protocol: Protocol): EncodedSeries[] {
  return Array.from({ length: seriesCount }, (_, index) => {
    const form = seriesEncoderFor({ ...shape, protocol }).encode(makeSeries(index));
    if (form.kind !== "series") throw new Error(form.message);
    return form;
  });
}

function addShape(bench: Bench, seriesCount: number, samplesEach: number): void {
  const name = `${seriesCount} series x 10 labels x ${samplesEach}`;
  const samples = makeSamples(samplesEach);
  const builders: [Protocol, RequestBuilder][] = [
    ["1.0", new WriteRequestBuilder()],
    ["2.0", new WriteRequestV2Builder()],
  ];
  for (const [protocol, builder] of builders) {
    const forms = encodedForms(seriesCount, protocol);
    const fill = () => {
      for (const form of forms) builder.append(form, samples, 0, samplesEach);
    };
    bench.add(`${protocol} encode only, ${name}`, () => {
      fill();
      builder.reset();
    });
    bench.add(`${protocol} encode + snappy, ${name}`, () => {
      fill();
      builder.finish();
    });
  }
  const messages = Array.from({ length: seriesCount }, (_, index) => ({
    labels: [...makeSeries(index).labels],
    samples: Array.from({ length: samplesEach }, (_, n) => ({
      timestamp: samples.timestampsMs[n]!,
      value: samples.values[n]!,
    })),
  }));
  bench.add(`1.0 protobufjs, ${name}`, () => {
    remoteWrite1.WriteRequest.encode({ timeseries: messages }).finish();
  });
}

const bench = new Bench({ time: 1_000, warmupTime: 300 });
addShape(bench, 2_000, 1);
addShape(bench, 200, 60);
const fresh = Array.from({ length: 2_000 }, (_, index) => makeSeries(index));
bench.add("labels of 2000 new series x 10 labels", () => {
  for (const series of fresh) {
    series.keepForm(encoder.formIndex, undefined);
    encoder.encode(series);
  }
});

await bench.run();
const unitsPerRun = (name: string) => (name.includes("x 60") ? 12_000 : 2_000);
console.table(
  bench.tasks.map((task) => ({
    task: task.name,
    "ns per sample":
      task.result.state === "completed"
        ? Math.round((task.result.latency.mean * 1e6) / unitsPerRun(task.name))
        : "failed",
  })),
);
