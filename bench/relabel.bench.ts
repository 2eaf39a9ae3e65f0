import { relabelRules } from "../src/exporter/policy/spec/relabel-schema.ts";
import { SampleBuffer, Series } from "../src/exporter/series/series.ts";
import { metricLabels } from "./export-body.ts";
import { newBatcher } from "./support/new-batcher.ts";
import { fiveRules } from "./support/relabel-rules.ts";
import { print, round } from "./support/verdict.ts";

/**
 * What five relabelling rules cost a sample once each series is encoded: cutting windows of one sample a series
 * into requests, with and without them, in turns and by the processor's time.
 */
const rules = relabelRules("").parse(fiveRules);
const count = 50_000;
const rounds = 30;
const samples = new SampleBuffer();
samples.length = 1;
samples.timestampsMs[0] = 1_790_000_000_000;
samples.values[0] = 1_009.5;

/** Series of their own for each kind: in a daemon, too, one series rarely is in both. */
const kinds = [undefined, rules].map((relabel) => ({
  relabel,
  all: Array.from({ length: count }, (_, index) => {
    const labels = Object.entries(metricLabels(index)).map(([name, value]) => ({ name, value }));
    return new Series(labels.sort((a, b) => (a.name < b.name ? -1 : 1)));
  }),
  firstMs: 0,
  micros: [] as number[],
}));

for (let turn = 0; turn < rounds; turn++) {
  for (const kind of kinds) {
    const before = process.cpuUsage();
    const batcher = newBatcher(500, () => undefined, kind.relabel);
    const source = batcher.source("all");
    for (const series of kind.all) source.onSeries(series, samples);
    batcher.finishAll();
    const { user, system } = process.cpuUsage(before);
    if (turn === 0) kind.firstMs = (user + system) / 1_000;
    else kind.micros.push((user + system) / count);
  }
}
const [without = 0, with5 = 0] = kinds.map(({ micros }) => micros.sort((a, b) => a - b)[rounds >> 2] ?? 0);
const [first = 0, firstWith = 0] = kinds.map(({ firstMs }) => firstMs);
print(`a sample: ${round(without)} us without rules, ${round(with5)} us with five`);
print(`a series, once: ${round(((firstWith - first) * 1_000) / count)} us more with five rules`);
