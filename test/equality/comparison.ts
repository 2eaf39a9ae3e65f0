import { formatExactCount } from "../../src/base/core/human.ts";
import {
  describeDiff,
  diffSamples,
  flushVictoriaMetrics,
  isSameSet,
  type ReadSpan,
  readPrometheus,
  readVictoriaMetrics,
  SampleSet,
} from "../support/samples.ts";
import type { RunningServer } from "../support/servers.ts";
import { jobs } from "./policy.ts";
import type { Source, SourceKind, WriterResult } from "./writer.ts";

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
  span: { readonly fromMs: number; readonly toMs: number },
  allowed: { readonly repeats: number; readonly missing: number },
): Promise<boolean> {
  const { signal } = new AbortController();
  const read: ReadSpan = { ...span, matchers: [{ name: "job", type: "=~", value: jobs.join("|") }] };
  // Read again for each receiver: comparing sorts in place, and the heap holds only two of these sets at
  // once.
  const source = await readers[sourceKind](sourceUrl, read, signal);
  if (source.size !== written.samples) {
    throw new Error(`the source holds ${source.size} samples, ${written.samples} were written`);
  }
  if (kind === "victoria-metrics") await flushVictoriaMetrics(server.url, signal);
  const held = await readers[kind](server.url, read, signal);
  const diff = diffSamples(source, held);
  const isSame = diff.missing.size <= allowed.missing && isSameSet({ ...diff, missing: new SampleSet() });
  const isEqual = isSame && diff.repeated.size <= allowed.repeats;
  console.log(
    `${isEqual ? "equal " : "DIFFER"} ${name}: source ${formatExactCount(source.size)}, receiver ${formatExactCount(held.size)}; ${describeDiff(diff, isEqual ? 0 : 5)} (repeats allowed: ${allowed.repeats}, missing: ${allowed.missing})`,
  );
  return isEqual;
}
