import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import snappy from "snappy";
import { FrameDecoder } from "../src/exporter/metrics-store/prometheus/read-frames.ts";
import { encodeReadRequest } from "../src/exporter/metrics-store/prometheus/read-request.ts";
import { remoteRead } from "../test/support/receiver/protocol.ts";
import { writeByRemoteWrite } from "./samples/write.ts";
import { prometheusBuild } from "./servers/prometheus-build.ts";
import { startPrometheus } from "./servers/start.ts";

/**
 * Records chunks written by a real Prometheus with `storage.tsdb.chunk_encoding.floats: xor2`, and the
 * samples in them, for the decoder's tests: `PROMETHEUS_BIN=… node --import tsx
 * scripts/record-xor2-chunks.ts` with Prometheus 3.11 or newer, then `npm run format`. Half of the series
 * have start timestamps, which are sent by OTLP.
 */
const target = resolve(import.meta.dirname, "../test/support/store/xor2-chunks.json");
const { signal } = new AbortController();
if (!(await prometheusBuild(signal)).hasXor2)
  throw new Error("PROMETHEUS_BIN names no Prometheus with XOR2 chunks");

const count = 60;
const startMs = Math.floor(Date.now() / 60_000) * 60_000 - 3_000_000;
/** Pseudo-random in [0, 1), the same in each recording. */
function noise(index: number): number {
  const sine = Math.sin(index * 12.9898) * 43_758.5453;
  return sine - Math.floor(sine);
}

type Shape = (index: number) => number;
const values: Readonly<Record<string, Shape>> = {
  constant: () => 42,
  counter: (index) => index * 100 + Math.floor(noise(index) * 100),
  gauge: (index) => Math.round(noise(index) * 1e6) / 1e3,
  fine: (index) => noise(index) - 0.5,
  extremes: (index) =>
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MAX_VALUE, Number.MIN_VALUE, -0, 1][
      index % 6
    ] ?? 0,
  stale: (index) => (index % 7 === 3 ? Number.NaN : index),
};
const times: Readonly<Record<string, Shape>> = {
  steady: (index) => index * 15_000,
  jitter: (index) => index * 15_000 + Math.floor(noise(index) * 40),
  irregular: (index) => index * 15_000 + Math.floor(noise(index + 7) * 12_000),
  gaps: (index) => index * 1_000 + Math.floor(index / 25) * 700_000,
};
/** A counter's start, ms before the first sample; undefined: none is sent. */
const starts: Readonly<Record<string, Shape>> = {
  once: () => -60_000,
  resets: (index) => Math.floor(index / 25) * 600_000 - 60_000,
  each: (index) => index * 15_000 - 14_000 - Math.floor(noise(index) * 900),
};

interface Plan {
  readonly name: string;
  readonly start?: Shape;
  readonly samples: readonly { readonly timestampMs: number; readonly value: number }[];
}

function plan(name: string, time: Shape, value: Shape, start?: Shape): Plan {
  const samples = Array.from({ length: count }, (_, index) => ({
    timestampMs: startMs + time(index),
    value: value(index),
  }));
  return { name, samples, ...(start && { start }) };
}

const written = Object.entries(values).flatMap(([valueName, value]) =>
  Object.entries(times).map(([timeName, time]) => plan(`${valueName}_${timeName}`, time, value)),
);
const started = Object.entries(starts).flatMap(([name, start]) => [
  plan(`started_${name}_constant`, times["steady"] as Shape, values["constant"] as Shape, start),
  plan(`started_${name}_counter`, times["jitter"] as Shape, values["counter"] as Shape, start),
]);

await using server = await startPrometheus({
  floatChunks: "xor2",
  outOfOrderWindow: "2h",
  flags: ["--enable-feature=st-storage", "--web.enable-otlp-receiver"],
});
await writeByRemoteWrite(
  `${server.url}/api/v1/write`,
  written.map(({ name, samples }) => ({ labels: [{ name: "__name__", value: name }], samples })),
  signal,
);
for (const one of started) await writeOtlp(one);

/** Timestamps in ms; values as 16 hexadecimal digits each. */
const recorded: Record<string, { chunks: string[]; times: number[]; values: string }> = {};
for (const { name, samples } of [...written, ...started]) {
  recorded[name] = {
    chunks: await chunksOf(name),
    times: samples.map(({ timestampMs }) => timestampMs),
    values: samples.map(({ value }) => bitsOf(value)).join(""),
  };
}
await writeFile(target, textOf(recorded));
process.stdout.write(`${target}: ${Object.keys(recorded).length} series\n`);

/** One line per series. */
function textOf(series: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(series).map(([name, one]) => `"${name}": ${JSON.stringify(one)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

async function chunksOf(name: string): Promise<string[]> {
  const pos = 0;
  const selector = {
    type: "selector" as const,
    groups: [[{ label: "__name__", op: "=" as const, value: name }]],
    pos,
  };
  const request = encodeReadRequest(selector, { fromMs: startMs - 1, toMs: startMs + 10_000_000 });
  const response = await fetch(`${server.url}/api/v1/read`, {
    method: "POST",
    body: snappy.compressSync(request) as Buffer<ArrayBuffer>,
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
  const chunks: string[] = [];
  const frames = new FrameDecoder((bytes, _view, start, end) => {
    const { chunkedSeries } = remoteRead.ChunkedReadResponse.decode(bytes.subarray(start, end));
    for (const chunk of chunkedSeries.flatMap((series) => series.chunks ?? [])) {
      if (chunk.type !== remoteRead.Encoding.XOR2) throw new Error(`${name}: a chunk of type ${chunk.type}`);
      chunks.push(Buffer.from(chunk.data ?? []).toString("base64"));
    }
  });
  void frames.push(Buffer.from(await response.arrayBuffer()));
  if (chunks.length === 0) throw new Error(`${name}: Prometheus gave no chunks`);
  return chunks;
}

/** Writes a counter in OTLP's JSON form, the only one with a start timestamp for each sample. */
async function writeOtlp({ name, samples, start }: Plan): Promise<void> {
  const dataPoints = samples.map(({ timestampMs, value }, index) => ({
    timeUnixNano: `${timestampMs}000000`,
    startTimeUnixNano: `${startMs + (start?.(index) ?? 0)}000000`,
    asDouble: value,
  }));
  const sum = { aggregationTemporality: 2, isMonotonic: false, dataPoints };
  const body = { resourceMetrics: [{ scopeMetrics: [{ metrics: [{ name, sum }] }] }] };
  const response = await fetch(`${server.url}/api/v1/otlp/v1/metrics`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${name}: ${response.status} ${await response.text()}`);
}

function bitsOf(value: number): string {
  if (Number.isNaN(value)) return "7ff0000000000002";
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("hex");
}
