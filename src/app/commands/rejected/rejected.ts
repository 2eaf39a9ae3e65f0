import { TelemetrydError } from "../../../base/core/errors.ts";
import { formatAge, formatCount } from "../../../base/core/human.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { describeSample, readBody } from "../../../exporter/remote-write/encoding/request-body.ts";
import {
  deleteRejected,
  listRejected,
  type RejectedEntry,
  readRejected,
} from "../../../exporter/remote-write/rejected/rejected-store.ts";
import { replayRejected } from "../../../exporter/remote-write/rejected/replay-rejected.ts";
import type { Outcome, Sender } from "../../../exporter/remote-write/send/outcome.ts";
import { printedJson } from "../printed-json.ts";
import { printable, renderTable } from "../table.ts";

/** `telemetryd rejected …`: reads the folder of the rejected store, whether a daemon runs or not. */
const messageColumnWidth = 60;

export interface RejectedListOptions {
  readonly output?: "json" | undefined;
}

/** `rejected list`: oldest first. */
export async function showRejectedList(
  directory: string,
  options: RejectedListOptions,
  out: LineSink,
  nowMs: number,
): Promise<void> {
  const entries = await listRejected(directory);
  if (options.output === "json") out.write(printedJson(entries));
  else if (entries.length === 0) out.write("Nothing was rejected.\n");
  else out.write(rejectedTable(entries, nowMs));
}

export function rejectedTable(entries: readonly RejectedEntry[], nowMs: number): string {
  return renderTable(
    ["ID", "AGE", "SINK", "STATUS", "SERIES", "SAMPLES", "ENDPOINT", "MESSAGE"],
    entries.map((entry) => [
      entry.id,
      formatAge(nowMs - entry.atMs),
      sinkName(entry.sink),
      entry.status === undefined ? "-" : String(entry.status),
      formatCount(entry.seriesCount),
      formatCount(entry.sampleCount),
      printable(entry.endpoint),
      cut(printable(entry.message)),
    ]),
  );
}

/** `rejected show`: an entry's details and first samples. @throws INVALID_ARGUMENT for an unknown id */
export async function showRejected(
  directory: string,
  id: string,
  options: RejectedListOptions & { readonly limit: number },
  out: LineSink,
): Promise<void> {
  const found = await readRejected(directory, id);
  if (found === undefined) throw unknownEntry(id);
  const { entry, request } = found;
  const lines: string[] = [];
  let left = options.limit;
  for (const { labels, samples } of readBody(request)) {
    const selector = `{${labels.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(", ")}}`;
    for (const sample of samples) {
      if (left-- <= 0) break;
      lines.push(`${selector} ${describeSample(sample)} @ ${new Date(sample.timestampMs).toISOString()}`);
    }
  }
  if (options.output === "json") {
    out.write(printedJson({ ...entry, samples: lines }));
    return;
  }
  const facts: readonly (readonly [string, string])[] = [
    ["Rejected", new Date(entry.atMs).toISOString()],
    ["Sink", entry.sink],
    ["Endpoint", entry.endpoint],
    ["Response", entry.message],
    ["Protocol", `remote write ${entry.protocol}`],
    ["Series", String(entry.seriesCount)],
    ["Samples", String(entry.sampleCount)],
    ["From", new Date(entry.minMs).toISOString()],
    ["To", new Date(entry.maxMs).toISOString()],
  ];
  for (const [name, value] of facts) out.write(`${`${name}:`.padEnd(11)}${printable(value)}\n`);
  out.write("\n");
  for (const line of lines) out.write(`${printable(line)}\n`);
  const more = entry.sampleCount - lines.length;
  if (more > 0) out.write(`and ${more} more\n`);
}

/** `rejected delete`. @throws INVALID_ARGUMENT for an unknown id, after the known ones were deleted */
export async function deleteRejectedEntries(
  directory: string,
  ids: readonly string[],
  out: LineSink,
): Promise<void> {
  let unknown: string | undefined;
  for (const id of ids) {
    if (await deleteRejected(directory, id)) out.write(`${id} deleted\n`);
    else unknown ??= id;
  }
  if (unknown !== undefined) throw unknownEntry(unknown);
}

/**
 * `rejected replay`: sends entries again, oldest first, and deletes those that are delivered.
 *
 * @param senderFor returns a sender for an entry's sink; undefined when no policy declares the sink now
 * @throws DELIVERY_FAILED when one was not delivered, INVALID_ARGUMENT for an unknown id; after trying all
 *   others
 */
export async function replayRejectedEntries(
  directory: string,
  ids: readonly string[],
  senderFor: (entry: RejectedEntry) => Sender | undefined,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  out.write(
    "Replayed samples are older than what a receiver has by now: it must take samples out of order.\n",
  );
  let failed = 0;
  for (const id of [...ids].sort()) {
    const found = await readRejected(directory, id);
    if (found === undefined) throw unknownEntry(id);
    const sender = senderFor(found.entry);
    const outcome = sender && (await replayRejected(directory, id, sender, signal));
    if (outcome?.kind !== "delivered") failed++;
    out.write(`${id} ${printable(describeOutcome(outcome, found.entry))}\n`);
    signal.throwIfAborted();
  }
  if (failed > 0) {
    const message = `${failed} of ${ids.length} entries were not delivered; they stay in the rejected store`;
    throw new TelemetrydError("DELIVERY_FAILED", message);
  }
}

function describeOutcome(outcome: Outcome | undefined, entry: RejectedEntry): string {
  if (outcome === undefined) return `not sent: no policy declares the sink ${sinkName(entry.sink)}`;
  if (outcome.kind === "delivered") return `delivered ${entry.sampleCount} samples`;
  if (outcome.kind === "aborted") return "not sent: interrupted";
  return `not delivered: ${outcome.message}`;
}

/** namespace/policy/sink from a sink's key. */
function sinkName(key: string): string {
  const [, namespace = "", policy = "", , sink = ""] = key.split("/");
  return `${namespace}/${policy}/${sink}`;
}

function cut(text: string): string {
  return text.length > messageColumnWidth ? `${text.slice(0, messageColumnWidth - 1)}…` : text;
}

function unknownEntry(id: string): TelemetrydError {
  return new TelemetrydError(
    "INVALID_ARGUMENT",
    `there is no rejected entry "${id}"; telemetryd rejected list shows them`,
  );
}
