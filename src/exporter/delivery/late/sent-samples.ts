import { SeriesHashTable } from "../../series/series-hash-table.ts";
import { isOneOf } from "../batch/sample-range.ts";
import { TimeSets } from "../state/time-sets.ts";

/** Words of records that are taken up in one go: well below 10 ms. */
const sliceWords = 60_000;

/** Samples that were sent. */
export interface Sent {
  /** Whether this sample was sent. */
  has(high: number, low: number, timestampMs: number): boolean;
}

/** The samples of a block, restored from its records; see {@link SentBlock}. */
export class SentSamples implements Sent {
  readonly #baseMs: number;
  #words: number[][] = [];
  #sets: TimeSets;
  /** The group of each series: those that have moved together since they were listed. */
  readonly #groupOf = new SeriesHashTable();
  readonly #setOfGroup: number[] = [];
  readonly #groupOfSet = new Map<number, number>();
  /** The group that a group has joined. */
  readonly #joined: number[] = [];

  private constructor(baseMs: number) {
    this.#baseMs = baseMs;
    this.#sets = new TimeSets();
  }

  /**
   * @param records of one block, in order, from its first on
   * @throws RangeError when the records are not what a block writes
   */
  static async of(
    baseMs: number,
    records: readonly Buffer[],
    yieldTurn: () => Promise<void>,
  ): Promise<SentSamples> {
    const samples = new SentSamples(baseMs);
    for (const record of records) await samples.#take(wordsOf(record), yieldTurn);
    samples.#sets = TimeSets.of(Uint32Array.from([0, ...samples.#words.flat()]));
    samples.#words = [];
    return samples;
  }

  has(high: number, low: number, timestampMs: number): boolean {
    const group = this.#groupOf.get(high, low);
    if (group === undefined) return false;
    return isOneOf(this.#sets.get(this.#setOfGroup[this.#find(group)] ?? 0), timestampMs - this.#baseMs);
  }

  async #take(words: Uint32Array, yieldTurn: () => Promise<void>): Promise<void> {
    const setWords = words[0] ?? 0;
    const moves = words[1 + setWords];
    if (moves === undefined) throw new RangeError("a record of sent samples is cut off");
    this.#words.push([...words.subarray(1, 1 + setWords)]);
    let at = 2 + setWords;
    for (const end = at + moves * 2; at < end; at += 2) this.#move(words[at] ?? 0, words[at + 1] ?? 0);
    let slice = at;
    for (; at + 2 < words.length; at += 3) {
      this.#groupOf.set(words[at] ?? 0, words[at + 1] ?? 0, this.#groupAt(words[at + 2] ?? 0));
      if (at - slice < sliceWords) continue;
      slice = at;
      await yieldTurn();
    }
  }

  /** The group whose series have this set. */
  #groupAt(set: number): number {
    let group = this.#groupOfSet.get(set);
    if (group === undefined) {
      group = this.#setOfGroup.push(set) - 1;
      this.#groupOfSet.set(set, group);
    }
    return group;
  }

  #move(before: number, after: number): void {
    const group = this.#groupOfSet.get(before);
    if (group === undefined) return;
    this.#groupOfSet.delete(before);
    const present = this.#groupOfSet.get(after);
    if (present !== undefined) {
      this.#joined[group] = present;
      return;
    }
    this.#setOfGroup[group] = after;
    this.#groupOfSet.set(after, group);
  }

  #find(group: number): number {
    let found = group;
    for (let next = this.#joined[found]; next !== undefined; next = this.#joined[found]) found = next;
    return found;
  }
}

/** A copy: the bytes may be unaligned. */
function wordsOf(bytes: Buffer): Uint32Array {
  const words = new Uint32Array(Math.floor(bytes.length / 4));
  new Uint8Array(words.buffer).set(bytes.subarray(0, words.length * 4));
  return words;
}
