import { TelemetrydError } from "../../../base/core/errors.ts";
import { formatAge, formatCount } from "../../../base/core/human.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { sinkName } from "../../../exporter/policy/spec/types.ts";
import { describeSample, readBody } from "../../../exporter/remote-write/encoding/request-body.ts";
import type { RejectedAccess, Replay } from "../../../exporter/remote-write/rejected/rejected-access.ts";
import type { RejectedEntry } from "../../../exporter/remote-write/rejected/rejected-file.ts";
import { printedJson } from "../printed-json.ts";
import { printable, renderTable } from "../table.ts";
import { isSelected, type RejectedFilter, type RejectedGroup, RejectedGroups } from "./rejected-groups.ts";

/** `telemetryd rejected …`, in the folder of the rejected store or through a running daemon. */
const messageColumnWidth = 60;

/** The entries that a command is about. */
export interface RejectedSelection extends RejectedFilter {
  /** Unix epoch, ms. */
  readonly sinceMs?: number | undefined;
}

export interface RejectedListOptions extends RejectedSelection {
  readonly output?: "json" | undefined;
  /** How many lines; the newest are listed. */
  readonly limit: number;
  /** Whether each entry is listed, oldest first, and not one line for each sink and reason. */
  readonly entries?: boolean | undefined;
}

/** `rejected list`. */
export async function showRejectedList(
  access: RejectedAccess,
  options: RejectedListOptions,
  out: LineSink,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { output, limit } = options;
  const groups = new RejectedGroups();
  let newest: RejectedEntry[] = [];
  let count = 0;
  for await (const entry of selected(access, options, signal)) {
    count++;
    if (options.entries !== true) groups.add(entry);
    else if (newest.push(entry) >= 2 * limit + 100) newest = newest.slice(newest.length - limit);
  }
  const all = groups.list();
  const found = options.entries === true ? count : all.length;
  const entries = limit === 0 ? [] : newest.slice(-limit);
  const lines = all.slice(0, limit);
  if (output === "json") out.write(printedJson(options.entries === true ? entries : lines.map(groupJson)));
  else if (found === 0) out.write("Nothing was rejected.\n");
  else {
    out.write(options.entries === true ? entriesTable(entries, nowMs) : groupsTable(lines, nowMs));
    if (found > limit) out.write(`and ${found - limit} more; --limit lists them\n`);
  }
}

function groupJson({ firstMs, lastMs, ...group }: RejectedGroup) {
  return { ...group, first: new Date(firstMs).toISOString(), last: new Date(lastMs).toISOString() };
}

function groupsTable(groups: readonly RejectedGroup[], nowMs: number): string {
  return renderTable(
    ["SINK", "ENTRIES", "SAMPLES", "FIRST", "LAST", "LAST ID", "REASON"],
    groups.map(({ sink, entries, samples, firstMs, lastMs, lastId, reason }) => [
      sink,
      formatCount(entries),
      formatCount(samples),
      formatAge(nowMs - firstMs),
      formatAge(nowMs - lastMs),
      lastId,
      cut(printable(reason)),
    ]),
  );
}

function entriesTable(entries: readonly RejectedEntry[], nowMs: number): string {
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

async function* selected(
  access: RejectedAccess,
  { sinceMs = 0, ...filter }: RejectedSelection,
  signal: AbortSignal,
): AsyncGenerator<RejectedEntry> {
  for await (const entry of access.entries(sinceMs, signal)) {
    signal.throwIfAborted();
    // Ids have the time too: what a daemon of another version ignores is filtered here.
    if (entry.atMs >= sinceMs && isSelected(entry, filter)) yield entry;
  }
}

/** `rejected show`: an entry's details and first samples. @throws INVALID_ARGUMENT for an unknown id */
export async function showRejected(
  access: RejectedAccess,
  id: string,
  options: Pick<RejectedListOptions, "output" | "limit">,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const found = await access.read(id, signal);
  if (found === undefined) throw unknownEntry(id);
  const { entry, request } = found;
  const lines: string[] = [];
  let example: string | undefined;
  let left = options.limit;
  for (const { labels, samples } of readBody(request)) {
    const selector = `{${labels.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(", ")}}`;
    example ??= selector;
    for (const sample of samples) {
      if (left-- <= 0) break;
      lines.push(`${selector} ${describeSample(sample)} @ ${new Date(sample.timestampMs).toISOString()}`);
    }
    if (left <= 0) break;
  }
  if (options.output === "json") {
    out.write(printedJson({ ...entry, example, samples: lines }));
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
    ["Example", example ?? "-"],
  ];
  for (const [name, value] of facts) out.write(`${`${name}:`.padEnd(11)}${printable(value)}\n`);
  out.write("\n");
  for (const line of lines) out.write(`${printable(line)}\n`);
  const more = entry.sampleCount - lines.length;
  if (more > 0) out.write(`and ${more} more\n`);
}

/** What `replay` and `delete` are about: ids, or a selection with a sink. */
export type RejectedChoice = readonly string[] | (RejectedSelection & { readonly sink: string });

/** The ids of a choice, oldest first. @throws INVALID_ARGUMENT when nothing is selected */
async function idsOf(
  access: RejectedAccess,
  choice: RejectedChoice,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!("sink" in choice)) return [...choice].sort();
  const ids: string[] = [];
  for await (const { id } of selected(access, choice, signal)) ids.push(id);
  if (ids.length > 0) return ids;
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `no rejected entry of the sink ${choice.sink} is selected; telemetryd rejected list names sinks and reasons`,
  );
}

/** `rejected delete`. @throws INVALID_ARGUMENT for an unknown id, after the known ones were deleted */
export async function deleteRejectedEntries(
  access: RejectedAccess,
  choice: RejectedChoice,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  let unknown: string | undefined;
  for (const id of await idsOf(access, choice, signal)) {
    signal.throwIfAborted();
    if (await access.remove(id, signal)) out.write(`${id} deleted\n`);
    // Of a selection, one may have expired meanwhile.
    else if (!("sink" in choice)) unknown ??= id;
  }
  if (unknown !== undefined) throw unknownEntry(unknown);
}

/**
 * `rejected replay`: sends entries again, oldest first, and deletes those that are delivered.
 *
 * @throws DELIVERY_FAILED when one was not delivered, INVALID_ARGUMENT for an unknown id; after trying all
 *   others
 */
export async function replayRejectedEntries(
  access: RejectedAccess,
  choice: RejectedChoice,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const ids = await idsOf(access, choice, signal);
  out.write(
    "Replayed samples are older than what a receiver has by now: it must take samples out of order.\n",
  );
  let failed = 0;
  let unknown: string | undefined;
  for (const id of ids) {
    const replay = await access.replay(id, signal);
    if (replay === undefined) {
      if (!("sink" in choice)) unknown ??= id;
      continue;
    }
    if (replay.outcome.kind !== "delivered") failed++;
    out.write(`${id} ${printable(describeReplay(replay))}\n`);
    signal.throwIfAborted();
  }
  if (failed > 0) {
    const message = `${failed} of ${ids.length} entries were not delivered; they stay in the rejected store`;
    throw new TelemetrydError("DELIVERY_FAILED", message);
  }
  if (unknown !== undefined) throw unknownEntry(unknown);
}

function describeReplay({ entry, outcome }: Replay): string {
  if (outcome.kind === "undeclared") return `not sent: no policy declares the sink ${sinkName(entry.sink)}`;
  if (outcome.kind === "delivered") return `delivered ${entry.sampleCount} samples`;
  if (outcome.kind === "aborted") return "not sent: interrupted";
  return `not delivered: ${outcome.message}`;
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
