import { setImmediate as turn } from "node:timers/promises";
import { SentBlock } from "../src/exporter/delivery/late/sent-block.ts";
import { SentSamples } from "../src/exporter/delivery/late/sent-samples.ts";
import { RequestEntries } from "../src/exporter/delivery/state/request-entries.ts";
import { megabytes, print, round } from "./support/verdict.ts";

/**
 * What remembering a million series of a thousand targets takes: a block of 20 windows, with a sample of each
 * series in each window, in requests of 5,000.
 */
const series = 1_000_000;
const targets = 1_000;
const windows = 20;
const baseMs = 1_790_000_000_000;

function requestsOf(window: number): RequestEntries[] {
  const requests: RequestEntries[] = [];
  for (let first = 0; first < series; first += 5_000) {
    const entries = new RequestEntries(baseMs);
    for (let index = first; index < first + 5_000; index++) {
      // The store gives one metric of all targets after the other.
      const ms = baseMs + window * 15_000 + (index % targets) * 15;
      entries.addTimes(Math.imul(index, 0x9e3779b1) >>> 0, Math.imul(index + 7, 0x85ebca6b) >>> 0, [ms]);
    }
    requests.push(entries);
  }
  return requests;
}

const block = new SentBlock(baseMs - 1_000, series);
const records: Buffer[] = [];
let addMs = 0;
let longestMs = 0;
let before = 0;
for (let window = 0; window < windows; window++) {
  const requests = requestsOf(window);
  globalThis.gc?.();
  before = process.memoryUsage().arrayBuffers;
  let sliceMs = performance.now();
  const startUsage = process.cpuUsage();
  const yieldTurn = async (): Promise<void> => {
    longestMs = Math.max(longestMs, performance.now() - sliceMs);
    await turn();
    sliceMs = performance.now();
  };
  const record = await block.add(requests, yieldTurn);
  const { user, system } = process.cpuUsage(startUsage);
  addMs += (user + system) / 1_000;
  if (record !== undefined) records.push(record);
}
const bytes = records.reduce((sum, { length }) => sum + length, 0);
const restoreStartMs = performance.now();
const sent = await SentSamples.of(block.baseMs, records, turn);
const restoreMs = performance.now() - restoreStartMs;
print(
  `record: ${round((1e6 * addMs) / series / windows)} ns of CPU a sample, longest slice ${round(longestMs)} ms`,
);
print(
  `disk: ${round(bytes / series)} bytes a series and block, first record ${megabytes(records[0]?.length ?? 0)} MB`,
);
print(
  `restore: ${round(restoreMs)} ms; memory ${megabytes(process.memoryUsage().rss)} MB resident, ${megabytes(before)} MB before the last window`,
);
print(`known: ${sent.has(0, Math.imul(7, 0x85ebca6b) >>> 0, baseMs)}`);
