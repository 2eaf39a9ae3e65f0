import { LabelCache } from "../src/exporter/metrics-store/samples/label-cache.ts";
import { ExportLineDecoder } from "../src/exporter/metrics-store/victoriametrics/export-lines.ts";
import { exportBody } from "./export-body.ts";
import { newBatcher } from "./support/new-batcher.ts";

/**
 * Decoding and encoding as in a daemon: 50,000 series whose lines arrive in a different order each time, as
 * VictoriaMetrics writes them, so that no series is in the processor's cache when its line arrives; compared
 * with the same lines in a fixed order, which the processor can prefetch. A micro-benchmark tool would repeat
 * one order.
 */
const series = 50_000;
const rounds = 60;
/** The first runs parse the labels and compile the code. */
const warmUp = 15;
const chunkBytes = 65_536;

const lines = linesOf(exportBody(series, 1));
const received = Buffer.allocUnsafeSlow(chunkBytes);
const table: Record<string, object> = {};
for (const [name, isShuffled] of [
  ["one order", false],
  ["another order each time", true],
] as const) {
  const cache = new LabelCache(2 ** 30);
  const taken: number[] = [];
  for (let round = 0; round < rounds; round++) {
    if (isShuffled || round === 0) shuffle(lines);
    taken.push(readOnce(cache));
  }
  const counted = taken.slice(warmUp).sort((a, b) => a - b);
  table[name] = {
    "best, ns a sample": Math.round(counted[0] ?? 0),
    "median, ns a sample": Math.round(counted[counted.length >> 1] ?? 0),
  };
}
console.table(table);

/** @returns ns a sample */
function readOnce(cache: LabelCache): number {
  const body = Buffer.concat(lines);
  const pass = newBatcher(500, () => undefined);
  const { onSeries } = pass.source("all");
  const window = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
  const decoder = new ExportLineDecoder(cache, window, (series, samples) => {
    onSeries(series, samples);
    return undefined;
  });
  let tookMs = 0;
  for (let at = 0; at < body.length; at += chunkBytes) {
    // Copied first, since bytes from a socket have just been written.
    const length = body.copy(received, 0, at, at + chunkBytes);
    const startMs = performance.now();
    void decoder.push(received.subarray(0, length));
    tookMs += performance.now() - startMs;
  }
  const startMs = performance.now();
  pass.finishAll();
  tookMs += performance.now() - startMs;
  if (decoder.finish() !== undefined || decoder.samples !== series) throw new Error("not read whole");
  return (tookMs * 1e6) / series;
}

function linesOf(text: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf(10, at) + 1;
    found.push(text.subarray(at, end));
    at = end;
  }
  return found;
}

function shuffle(list: Buffer[]): void {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(Math.random() * (index + 1));
    [list[index], list[other]] = [list[other] as Buffer, list[index] as Buffer];
  }
}
