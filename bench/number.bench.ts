import { Bench } from "tinybench";
import { scanTimestamp, scanValue } from "../src/exporter/metrics-store/victoriametrics/sample-numbers.ts";
import { SampleBuffer } from "../src/exporter/series/series.ts";
import { printNsPerItem } from "./report.ts";

/** Parses one number from bytes, compared with JSON.parse on the same text. */
const count = 1_000;

const kinds: Record<string, (index: number) => string> = {
  "counters (integers)": (index) => String(index * 7_919),
  "gauges (short decimals)": (index) => String(Math.round(index * 1_234.5) / 1_000),
  "15 digits": (index) => (index * Math.PI).toPrecision(15),
  "17 digits (exact fallback)": (index) => (0.1 + index / 7).toPrecision(17),
};

const bench = new Bench({ time: 300, warmupTime: 100 });
const samples = new SampleBuffer();
samples.reserve(count);
for (const [name, value] of Object.entries(kinds)) {
  const text = `[${Array.from({ length: count }, (_, index) => value(index + 1)).join(",")}]`;
  const bytes = Buffer.from(text);
  bench.add(`scanValue, ${name}`, () => {
    let at = 1;
    for (let index = 0; index < count; index++) at = scanValue(bytes, at, samples, index) + 1;
    if (at !== bytes.length) throw new Error("not read whole");
  });
  bench.add(`JSON.parse, ${name}`, () => {
    if (JSON.parse(text).length !== count) throw new Error("not read whole");
  });
}
const times = Buffer.from(
  `[${Array.from({ length: count }, (_, index) => 1_790_000_000_000 + index * 15_000).join(",")}]`,
);
bench.add("scanTimestamp", () => {
  let at = 1;
  for (let index = 0; index < count; index++) at = scanTimestamp(times, at, samples, index) + 1;
  if (at !== times.length) throw new Error("not read whole");
});
await bench.run();
printNsPerItem(bench, count);
