import { Bench } from "tinybench";
import { LabelCache } from "../src/exporter/metrics-store/samples/label-cache.ts";
import { metricText } from "./export-body.ts";
import { printNsPerItem } from "./report.ts";

/**
 * Looks a series up by the bytes of its metric object: in the cache, and in a Map keyed by those bytes as a
 * latin1 string.
 */
const bench = new Bench({ time: 500, iterations: 7, warmupTime: 100, warmupIterations: 3 });
const lookups: Record<string, number> = {};

for (const series of [1_000, 50_000, 200_000]) {
  const texts = Array.from({ length: series }, (_, index) => metricText(index));
  const bytes = Buffer.from(new ArrayBuffer(texts.reduce((sum, text) => sum + text.length, 0)));
  const view = new DataView(bytes.buffer);
  const starts = new Int32Array(series + 1);
  texts.forEach((text, index) => {
    starts[index + 1] = (starts[index] as number) + bytes.write(text, starts[index] as number, "latin1");
  });

  const cache = new LabelCache(2 ** 31);
  const hashed = `hash and compare, ${series} series`;
  lookups[hashed] = series;
  bench.add(hashed, () => {
    let found = 0;
    for (let index = 0; index < series; index++) {
      if (cache.find(bytes, view, starts[index] as number, starts[index + 1] as number) !== undefined)
        found++;
    }
    if (found !== series) throw new Error("not all found");
  });

  const map = new Map<string, object>();
  const mapped = `Map of latin1 strings, ${series} series`;
  lookups[mapped] = series;
  bench.add(mapped, () => {
    for (let index = 0; index < series; index++) {
      const key = bytes.toString("latin1", starts[index] as number, starts[index + 1] as number);
      if (map.get(key) === undefined) map.set(key, {});
    }
    if (map.size !== series) throw new Error("not all found");
  });
}

await bench.run();
printNsPerItem(bench, lookups);
