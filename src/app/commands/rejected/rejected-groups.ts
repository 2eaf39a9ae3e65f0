import { sinkName } from "../../../exporter/policy/spec/types.ts";
import { reasonOf } from "../../../exporter/policy/status/shared-errors.ts";
import type { RejectedEntry } from "../../../exporter/remote-write/rejected/rejected-file.ts";

/** Entries of one sink that were rejected for the same reason. */
export interface RejectedGroup {
  /** See {@link sinkName}. */
  readonly sink: string;
  /** See {@link reasonOf}. */
  readonly reason: string;
  readonly entries: number;
  readonly samples: number;
  /** Times of the first and the last rejection, Unix epoch, ms. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the last one. */
  readonly lastId: string;
}

/** Which entries a command is about. */
export interface RejectedFilter {
  /** A {@link sinkName}. */
  readonly sink?: string | undefined;
  /** Part of the receiver's message, in any case. */
  readonly reason?: string | undefined;
}

/** Further reasons are counted as one. */
const maxGroups = 1_000;
export const otherReasons = "other reasons";

/** Entries are added one by one: there may be more of them than fit into memory. */
export class RejectedGroups {
  readonly #groups = new Map<string, RejectedGroup>();

  add(entry: RejectedEntry): void {
    const sink = sinkName(entry.sink);
    let reason = reasonOf(entry.message);
    if (!this.#groups.has(keyOf(sink, reason)) && this.#groups.size >= maxGroups) reason = otherReasons;
    const key = keyOf(sink, reason);
    const before = this.#groups.get(key);
    const isLast = before === undefined || entry.atMs >= before.lastMs;
    this.#groups.set(key, {
      sink,
      reason,
      entries: (before?.entries ?? 0) + 1,
      samples: (before?.samples ?? 0) + entry.sampleCount,
      firstMs: Math.min(before?.firstMs ?? entry.atMs, entry.atMs),
      lastMs: isLast ? entry.atMs : before.lastMs,
      lastId: isLast ? entry.id : before.lastId,
    });
  }

  /** The newest first. */
  list(): RejectedGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.lastMs - a.lastMs || (a.lastId < b.lastId ? 1 : -1));
  }
}

function keyOf(sink: string, reason: string): string {
  return `${sink}\n${reason}`;
}

export function isSelected(entry: RejectedEntry, { sink, reason }: RejectedFilter): boolean {
  if (sink !== undefined && sink !== sinkName(entry.sink)) return false;
  return reason === undefined || entry.message.toLowerCase().includes(reason.toLowerCase());
}
