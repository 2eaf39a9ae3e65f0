import { renderTable } from "../../src/app/commands/table.ts";
import { formatExactCount } from "../../src/base/core/human.ts";
import { readPrometheus, readVictoriaMetrics } from "../samples/read.ts";
import {
  describeDiff,
  diffSamples,
  isSameSet,
  type SampleDiff,
  sameUpToRounding,
} from "../samples/sample-set.ts";
import { flushVictoriaMetrics } from "../samples/write.ts";
import type { DemoSink, DemoSystem } from "./system.ts";

/** The receiver's samples of a sink compared with the source's, up to the sink's checkpoint. */
export interface Comparison {
  readonly sink: string;
  readonly upToMs: number;
  readonly sourceSamples: number;
  readonly receiverSamples: number;
  readonly diff: SampleDiff;
}

/** Reads and compares source and receiver, from before the demo up to the checkpoint. */
export async function compareSink(
  system: DemoSystem,
  { sink, exported, kind, server, headers }: DemoSink,
  fromMs: number,
  upToMs: number,
  signal: AbortSignal,
): Promise<Comparison> {
  const span = { matchers: exported, fromMs, toMs: upToMs };
  const read = kind === "prometheus" ? readPrometheus : readVictoriaMetrics;
  // VictoriaMetrics shows samples of the last seconds only after a flush.
  if (kind === "victoria-metrics") await flushVictoriaMetrics(server.url, signal);
  const held = await read(server.url, { ...span, headers }, signal);
  const source = await readVictoriaMetrics(system.source.url, span, signal);
  return {
    sink,
    upToMs,
    sourceSamples: source.size,
    receiverSamples: held.size,
    diff: diffSamples(source, held, sameUpToRounding),
  };
}

/** True for equal sets without duplicates, and at least one sample. */
export function agrees({ diff, sourceSamples }: Comparison): boolean {
  return sourceSamples > 0 && isSameSet(diff) && diff.repeated.size === 0;
}

/** The summary: a table, and examples of the differences. */
export function summary(comparisons: readonly Comparison[]): string {
  const header = [
    "SINK",
    "UP TO",
    "SOURCE",
    "RECEIVER",
    "MISSING",
    "EXTRA",
    "DIFFERENT",
    "REPEATED",
    "RESULT",
  ];
  const rows = comparisons.map((comparison) => {
    const { diff } = comparison;
    const counts = [
      comparison.sourceSamples,
      comparison.receiverSamples,
      ...[diff.missing, diff.extra, diff.different, diff.repeated].map(({ size }) => size),
    ];
    return [
      comparison.sink,
      new Date(comparison.upToMs).toISOString(),
      ...counts.map(formatExactCount),
      agrees(comparison) ? "agree" : comparison.sourceSamples === 0 ? "NOTHING EXPORTED" : "DIFFER",
    ];
  });
  const details = comparisons
    .filter((comparison) => !agrees(comparison))
    .map(({ sink, diff }) => `${sink}: ${describeDiff(diff)}`);
  return [renderTable(header, rows).trimEnd(), ...details].join("\n");
}
