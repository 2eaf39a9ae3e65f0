import { Bench } from "tinybench";
import { LabelCache } from "../src/exporter/metrics-store/samples/label-cache.ts";
import { ExportLineDecoder } from "../src/exporter/metrics-store/victoriametrics/export-lines.ts";
import { chunksOf, exportBody } from "./export-body.ts";
import { printNsPerItem } from "./report.ts";

/**
 * Decodes an export's body into series and samples, compared with the cost of splitting it and of JSON.parse.
 */
const window = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
const bench = new Bench({ time: 500, iterations: 7, warmupTime: 100, warmupIterations: 3 });
const samplesPerRun: Record<string, number> = {};

for (const [series, perLine] of [
  [50_000, 1],
  [5_000, 20],
  [2_000, 60],
] as const) {
  const body = exportBody(series, perLine);
  const chunks = chunksOf(body);
  const cache = new LabelCache(512 * 2 ** 20);
  const name = `decode, ${series} series x ${perLine} (${(body.length / series / perLine).toFixed(0)} bytes a sample)`;
  samplesPerRun[name] = series * perLine;
  bench.add(name, () => {
    const decoder = new ExportLineDecoder(cache, window, () => {});
    for (const chunk of chunks) void decoder.push(chunk);
    if (decoder.finish() !== undefined || decoder.samples !== series * perLine)
      throw new Error("not read whole");
  });
  const withText = `split and JSON.parse, ${series} x ${perLine}`;
  samplesPerRun[withText] = series * perLine;
  bench.add(withText, () => {
    let samples = 0;
    for (const line of body.toString("utf8").split("\n")) {
      if (line !== "") samples += JSON.parse(line).values.length;
    }
    if (samples !== series * perLine) throw new Error("not read whole");
  });
}

const cold = chunksOf(exportBody(50_000, 1));
samplesPerRun["decode, 50000 series never seen before"] = 50_000;
bench.add("decode, 50000 series never seen before", () => {
  const decoder = new ExportLineDecoder(new LabelCache(512 * 2 ** 20), window, () => {});
  for (const chunk of cold) void decoder.push(chunk);
});

await bench.run();
printNsPerItem(bench, samplesPerRun);
