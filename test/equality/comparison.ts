import { formatExactCount } from "../../src/base/core/human.ts";
import {
  describeDiff,
  diffSamples,
  flushVictoriaMetrics,
  isSameSet,
  type Matcher,
  type ReadSpan,
  readNativeHistograms,
  readPrometheus,
  readVictoriaMetrics,
  SampleSet,
} from "../support/samples.ts";
import type { RunningServer } from "../support/servers.ts";
import { jobs } from "./policy.ts";
import { histogramLabel, type Source, type SourceKind, type WriterResult } from "./writer.ts";

export interface Receiver {
  readonly name: string;
  readonly kind: SourceKind;
  readonly server: RunningServer;
}

const readers = { prometheus: readPrometheus, "victoria-metrics": readVictoriaMetrics };

/**
 * Compares a receiver's samples with the source's, and prints the result.
 *
 * @param allowed numbers of copies that the receiver may have beyond the source's, and of samples that it may
 * lack
 * @returns whether they agree
 * @throws an Error when the source itself lacks samples that were written
 */
export async function agrees(
  { name, kind, server }: Receiver,
  { kind: sourceKind, url: sourceUrl }: Source,
  written: WriterResult,
  span: Span,
  allowed: { readonly repeats: number; readonly missing: number },
): Promise<boolean> {
  const { signal } = new AbortController();
  // Read again for each receiver: comparing sorts in place, and the heap holds only two of these sets at
  // once.
  const source = await read(sourceKind, sourceUrl, span, signal);
  const ofHistograms = kind === "prometheus" ? written.histograms : 0;
  if (sourceKind === "prometheus" && kind === "prometheus") await addHistograms(source, sourceUrl, span);
  const expected = written.samples - written.histograms + ofHistograms;
  if (source.size !== expected) {
    throw new Error(`the source holds ${source.size} samples, ${expected} were written`);
  }
  if (kind === "victoria-metrics") await flushVictoriaMetrics(server.url, signal);
  const held = await read(kind, server.url, span, signal);
  if (sourceKind === "prometheus" && kind === "prometheus") await addHistograms(held, server.url, span);
  const diff = diffSamples(source, held);
  const isSame = diff.missing.size <= allowed.missing && isSameSet({ ...diff, missing: new SampleSet() });
  const isEqual = isSame && diff.repeated.size <= allowed.repeats;
  console.log(
    `${isEqual ? "equal " : "DIFFER"} ${name}: source ${formatExactCount(source.size)}, receiver ${formatExactCount(held.size)}; ${describeDiff(diff, isEqual ? 0 : 5)} (repeats allowed: ${allowed.repeats}, missing: ${allowed.missing})`,
  );
  return isEqual;
}

/** Number of samples that a receiver holds. */
export async function countOf({ kind, server }: Receiver, span: Span): Promise<number> {
  const { signal } = new AbortController();
  if (kind === "victoria-metrics") await flushVictoriaMetrics(server.url, signal);
  return (await read(kind, server.url, span, signal)).size;
}

type Span = Pick<ReadSpan, "fromMs" | "toMs">;

const ofJobs: Matcher = { name: "job", type: "=~", value: jobs.join("|") };

/** The numbers of a server. */
function read(kind: SourceKind, url: string, span: Span, signal: AbortSignal): Promise<SampleSet> {
  const numbers: Matcher = { name: histogramLabel.name, type: "=", value: "" };
  return readers[kind](url, { ...span, matchers: [ofJobs, numbers] }, signal);
}

async function addHistograms(to: SampleSet, url: string, span: Span): Promise<void> {
  const matchers: Matcher[] = [ofJobs, { ...histogramLabel, type: "=" }];
  const found = await readNativeHistograms(url, { ...span, matchers }, new AbortController().signal);
  for (const [key, { timestampsMs, values }] of found.series) {
    for (const [index, timestampMs] of timestampsMs.entries()) to.add(key, timestampMs, values[index] ?? "");
  }
}
