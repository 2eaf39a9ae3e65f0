import type { SampleBuffer } from "../../series/series.ts";
import { TimeSets } from "./time-sets.ts";

/** A series' hash (two unsigned halves) and the number of the set of its times. */
const entryWords = 3;
const headerBytes = 16;
const hasSetsBit = 0x80000000;
/** The header of earlier versions, whose entries have their latest time in place of the set. */
const oldHeaderBytes = 12;

/**
 * The samples that a request carries: for each series its hash and the times of its samples. It is the window
 * journal's record of the request. A record of "the whole window" would not do: a series may come in several
 * pieces, with a crash between two of them, and a sample may reach the store between two readings.
 *
 * The encoding is the same on disk and in memory (bench/journal.bench.ts): u32 number of entries with the
 * highest bit set, float64 base time, u32 number of words of the sets; these words (see {@link TimeSets});
 * then for each entry the hash as two u32, and the number of its set as a u32. Byte order is the machine's:
 * little-endian on every platform of Node.js but one, whose state directory is not portable.
 */
export class RequestEntries {
  /** Unix ms. */
  readonly baseMs: number;
  #sets = new TimeSets();
  #words: Uint32Array = new Uint32Array(64 * entryWords);
  #length = 0;

  /**
   * @param baseMs the window's start: no sample is before it, and none more than 49 days after it
   */
  constructor(baseMs: number) {
    this.baseMs = baseMs;
  }

  get length(): number {
    return this.#length;
  }

  /** Number of different sets of times. */
  get setCount(): number {
    return this.#sets.count;
  }

  /** Size of the entries in the journal. */
  get byteLength(): number {
    return headerBytes + (this.#sets.words.length + this.#length * entryWords) * 4;
  }

  /** Adds a series' samples, from `start` up to, not including, `end`. */
  add(high: number, low: number, samples: SampleBuffer, start: number, end: number): void {
    this.addTimes(high, low, samples.timestampsMs, start, end);
  }

  /** The same from times (Unix ms) in order. */
  addTimes(high: number, low: number, timesMs: ArrayLike<number>, start = 0, end = timesMs.length): void {
    this.#push(high, low, this.#sets.add(timesMs, start, end, this.baseMs));
  }

  /** @param visit receives the hash of each series, its last time (Unix ms), and the number of its set */
  each(visit: (high: number, low: number, untilMs: number, set: number) => void): void {
    const words = this.#words;
    for (let at = 0; at < this.#length * entryWords; at += entryWords) {
      const set = words[at + 2] ?? 0;
      visit(words[at] ?? 0, words[at + 1] ?? 0, this.baseMs + this.#sets.last(set), set);
    }
  }

  /**
   * The same for entries from `start` up to, not including, `end`. The halves of the hash are signed: to V8
   * these are small integers, where unsigned ones are objects (bench/sent-block.bench.ts).
   */
  eachOf(start: number, end: number, visit: (high: number, low: number, set: number) => void): void {
    const words = this.#words;
    const limit = Math.min(end, this.#length) * entryWords;
    for (let at = start * entryWords; at < limit; at += entryWords) {
      visit((words[at] ?? 0) | 0, (words[at + 1] ?? 0) | 0, words[at + 2] ?? 0);
    }
  }

  /** The times of a set, in order, in ms after {@link baseMs}; valid until entries are added. */
  offsetsOf(set: number): Uint32Array {
    return this.#sets.get(set);
  }

  /** The times of a set, in order (Unix ms). */
  timesOf(set: number): Float64Array {
    return Float64Array.from(this.#sets.get(set), (ms) => this.baseMs + ms);
  }

  /** The entries at these positions, with these times (Unix ms) of each. */
  pick(series: readonly { readonly index: number; readonly timesMs: readonly number[] }[]): RequestEntries {
    const part = new RequestEntries(this.baseMs);
    for (const { index, timesMs } of series) {
      this.eachOf(index, index + 1, (high, low) => part.addTimes(high, low, timesMs));
    }
    return part;
  }

  encode(): Buffer {
    const sets = this.#sets.words;
    const bytes = Buffer.allocUnsafe(this.byteLength);
    bytes.writeUInt32LE(hasSetsBit + this.#length, 0);
    bytes.writeDoubleLE(this.baseMs, 4);
    bytes.writeUInt32LE(sets.length, oldHeaderBytes);
    bytes.set(new Uint8Array(sets.buffer, sets.byteOffset, sets.byteLength), headerBytes);
    const words = new Uint8Array(this.#words.buffer, 0, this.#length * entryWords * 4);
    bytes.set(words, headerBytes + sets.byteLength);
    return bytes;
  }

  /**
   * The inverse of {@link encode}. Entries of earlier versions have only their last time.
   *
   * @throws RangeError when the bytes are not what `encode` writes
   */
  static decode(bytes: Buffer): RequestEntries {
    const head = bytes.readUInt32LE(0);
    const hasSets = head >= hasSetsBit;
    const length = hasSets ? head - hasSetsBit : head;
    const entries = new RequestEntries(bytes.readDoubleLE(4));
    const setBytes = hasSets ? bytes.readUInt32LE(oldHeaderBytes) * 4 : 0;
    const ownHeaderBytes = hasSets ? headerBytes : oldHeaderBytes;
    if (bytes.length !== ownHeaderBytes + setBytes + length * entryWords * 4) {
      throw new RangeError(`${bytes.length} bytes are not ${length} entries`);
    }
    if (!hasSets) {
      const words = wordsOf(bytes.subarray(oldHeaderBytes));
      for (let at = 0; at < words.length; at += entryWords) {
        const set = entries.#sets.add(words, at + 2, at + 3, 0);
        entries.#push(words[at] ?? 0, words[at + 1] ?? 0, set);
      }
      return entries;
    }
    entries.#sets = TimeSets.of(wordsOf(bytes.subarray(headerBytes, headerBytes + setBytes)));
    const words = wordsOf(bytes.subarray(headerBytes + setBytes));
    entries.#words = words.length === 0 ? entries.#words : words;
    entries.#length = length;
    return entries;
  }

  #push(high: number, low: number, set: number): void {
    let at = this.#length * entryWords;
    if (at === this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[at++] = high;
    this.#words[at++] = low;
    this.#words[at] = set;
    this.#length++;
  }
}

/** A copy: the bytes may be unaligned, and the words must not change with them. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  new Uint8Array(words.buffer).set(bytes);
  return words;
}
