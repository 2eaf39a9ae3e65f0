/**
 * Snappy on a request body: the copying form in use, the default form and the thread pool's; and zstd as it
 * is sent to VictoriaMetrics, where this Node.js has it. `npx tsx bench/compress.bench.ts` prints ns per
 * sample, MB/s and bytes per sample.
 */
import { compress, compressSync, uncompressSync } from "snappy";
import { Bench } from "tinybench";
import { compressBody, hasZstd } from "../src/exporter/remote-write/encoding/compression.ts";
import { seriesEncoderFor } from "../src/exporter/remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../src/exporter/remote-write/encoding/write-request.ts";
import { SampleBuffer, Series } from "../src/exporter/series/series.ts";

const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol: "1.0" });

function makeBody(seriesCount: number, samplesEach: number): Buffer {
  const builder = new WriteRequestBuilder();
  const samples = new SampleBuffer();
  samples.reserve(samplesEach);
  for (let index = 0; index < seriesCount; index++) {
    const labels = Array.from({ length: 9 }, (_, n) => ({
      name: `label_${n}`,
      value: `value-${n}-of-${index}`,
    }));
    const form = encoder.encode(new Series([{ name: "__name__", value: "http_requests_total" }, ...labels]));
    if (form.kind !== "series") throw new Error(form.message);
    for (let n = 0; n < samplesEach; n++) {
      samples.timestampsMs[n] = 1_760_000_000_000 + n * 15_000;
      samples.values[n] = Math.random() * 1e6;
    }
    builder.append(form, samples, 0, samplesEach);
  }
  return uncompressSync(builder.finish().payload, { asBuffer: true }) as Buffer;
}

const bench = new Bench({ time: 800, warmupTime: 200 });
const rows = new Map<string, { samples: number; bytes: number; compressed: number }>();
for (const [seriesCount, samplesEach] of [
  [500, 1],
  [5_000, 1],
  [200, 60],
] as const) {
  const body = makeBody(seriesCount, samplesEach);
  const shape = `${seriesCount} x ${samplesEach}`;
  const add = async (form: string, run: () => Buffer | Promise<Buffer>) => {
    const compressed = (await run()).length;
    rows.set(`${form}, ${shape}`, { samples: seriesCount * samplesEach, bytes: body.length, compressed });
    bench.add(`${form}, ${shape}`, async () => void (await run()));
  };
  await add("sync, copied", () => compressSync(body, { copyOutputData: true }));
  await add("sync, default", () => compressSync(body));
  await add("thread pool, copied", () => compress(body, { copyOutputData: true }));
  if (hasZstd) await add("zstd", () => compressBody(body, "zstd").payload);
}

await bench.run();
console.table(
  bench.tasks.map((task) => {
    const row = rows.get(task.name);
    if (row === undefined || task.result.state !== "completed") return { task: task.name };
    const ns = task.result.latency.mean * 1e6;
    const megabytesPerSecond = Math.round((row.bytes / ns) * 1_000);
    return {
      task: task.name,
      "ns per sample": Math.round(ns / row.samples),
      "MB/s": megabytesPerSecond,
      "bytes per sample": Math.round((10 * row.compressed) / row.samples) / 10,
    };
  }),
);
