import type { Window } from "../../metrics-store/ports/window.ts";
import type { SinkCounts } from "./known-counts.ts";
import type { SentRecord } from "./sent-record.ts";

/**
 * The port through which the exporter remembers what it has sent within `delivery.lateness`. It may forget
 * the oldest records at any time: what is forgotten is no longer checked, and never sent again.
 * Implementations: files, memory, Redis; all run one contract suite.
 *
 * `sink` is a key as `sinkKey()` makes it.
 */
export interface SentLog {
  /** The length of the steps that its counts are by. */
  readonly stepMs: number;
  /**
   * Resolves to true when the record survives the end of this process; to false when it is not kept, because
   * the earlier records of its block are gone or because nothing can be written.
   *
   * @throws what ends the cycle instead: a lost lease, or a Redis that stays unavailable
   */
  append(sink: string, record: SentRecord): Promise<boolean>;
  /** What is known of a sink; valid until the next await. Undefined if nothing is. */
  counts(sink: string): Promise<SinkCounts | undefined>;
  /**
   * The records of all blocks that have samples of a span, block by block, each from its first record on. A
   * sink's `counts` never say that more is known than these records hold.
   */
  blocks(sink: string, span: Window): Promise<readonly (readonly SentRecord[])[]>;
}

/** The largest number of records of a block. */
export const maxBlockRecords = 2 ** 16;

/**
 * The records that a log has left, without those that cannot be restored: each one of a block says what has
 * changed since the one before it, so a block ends at the first that is missing.
 */
export function wholeRecords(records: readonly SentRecord[]): SentRecord[] {
  /** By block: the number of its records so far. */
  const lengths = new Map<number, number>();
  return records.filter(({ blockId, isFirstOfBlock, ordinal }) => {
    const length = isFirstOfBlock ? 0 : lengths.get(blockId);
    if (length === undefined) return false;
    // Earlier versions did not write it.
    const isNext = ordinal === length || ordinal === 0;
    if (isNext) lengths.set(blockId, length + 1);
    else lengths.delete(blockId);
    return isNext;
  });
}

/** Groups the whole records that a log has left by block. */
export function blocksOf(records: readonly SentRecord[], { fromMs, toMs }: Window): SentRecord[][] {
  const blocks = new Map<number, SentRecord[]>();
  for (const record of wholeRecords(records)) {
    if (record.isFirstOfBlock) blocks.set(record.blockId, [record]);
    else blocks.get(record.blockId)?.push(record);
  }
  return [...blocks.values()].filter((block) =>
    block.some((record) => record.fromMs < toMs && record.toMs > fromMs),
  );
}
