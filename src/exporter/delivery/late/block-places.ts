import type { Window } from "../../metrics-store/ports/window.ts";
import type { SentRecord } from "./sent-record.ts";

/** Position of a record: the number of its segment, and its offset there. */
export interface Place {
  readonly segment: number;
  readonly offset: number;
}

/** A block: the time of its records, and the place of the last one. */
export interface PlacedBlock extends Window {
  readonly id: number;
  readonly last: Place;
}

/** Numbers of an entry: id, from, to, segment, offset. */
const width = 5;

/**
 * The blocks of one sink in a log, in the order in which they began. In one array of numbers: there may be
 * many thousands of sinks, each with a dozen of blocks.
 */
export class BlockPlaces {
  #entries: number[] = [];

  note({ blockId, isFirstOfBlock, fromMs, toMs }: SentRecord, { segment, offset }: Place): void {
    const entries = this.#entries;
    let at = isFirstOfBlock ? -1 : entries.length - width;
    while (at >= 0 && entries[at] !== blockId) at -= width;
    if (at < 0) {
      entries.push(blockId, fromMs, toMs, segment, offset);
      return;
    }
    entries[at + 1] = Math.min(entries[at + 1] ?? fromMs, fromMs);
    entries[at + 2] = Math.max(entries[at + 2] ?? toMs, toMs);
    entries[at + 3] = segment;
    entries[at + 4] = offset;
  }

  /** The blocks that have a part of a span, newest first. */
  in({ fromMs, toMs }: Window): PlacedBlock[] {
    return this.#list()
      .filter((block) => block.fromMs < toMs && block.toMs > fromMs)
      .reverse();
  }

  /** Drops blocks that end before a time. */
  dropUntil(ms: number): void {
    if ((this.#entries[2] ?? Infinity) > ms) return;
    this.#keep(this.#list().filter(({ toMs }) => toMs > ms));
  }

  /** Drops a block, and those that began before it. @returns the end of all these (Unix ms) */
  dropThrough(id: number): number {
    const blocks = this.#list();
    const count = blocks.findLastIndex((block) => block.id === id) + 1;
    this.#keep(blocks.slice(count));
    return Math.max(-Infinity, ...blocks.slice(0, count).map(({ toMs }) => toMs));
  }

  has(id: number | undefined): boolean {
    return this.#list().some((block) => block.id === id);
  }

  clear(): void {
    this.#entries = [];
  }

  #list(): PlacedBlock[] {
    const blocks: PlacedBlock[] = [];
    for (let at = 0; at < this.#entries.length; at += width) {
      const [id = 0, fromMs = 0, toMs = 0, segment = 0, offset = 0] = this.#entries.slice(at, at + width);
      blocks.push({ id, fromMs, toMs, last: { segment, offset } });
    }
    return blocks;
  }

  #keep(blocks: readonly PlacedBlock[]): void {
    this.#entries = blocks.flatMap(({ id, fromMs, toMs, last: { segment, offset } }) => {
      return [id, fromMs, toMs, segment, offset];
    });
  }
}
