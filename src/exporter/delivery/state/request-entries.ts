/** A series' hash (two unsigned halves) and the time up to which a request holds its samples. */
const entryWords = 3;
const headerBytes = 12;

/**
 * The series that a request carries, each with the time up to which it does: the window journal's record of
 * the request. A record of "the whole window" would not do: a series may come in several pieces, with a crash
 * between two of them.
 *
 * The encoding is the same on disk and in memory (bench/journal.bench.ts): u32 count, float64 base time; then
 * for each entry the hash as two u32, and `untilMs` as a u32 distance from the base, which is at most the
 * longest window. Byte order is the machine's: little-endian on every platform of Node.js but one, whose
 * state directory is not portable.
 */
export class RequestEntries {
  readonly #baseMs: number;
  #words = new Uint32Array(64 * entryWords);
  #length = 0;

  /**
   * @param baseMs the window's start: no entry's `untilMs` is before it, and none more than 49 days after it
   */
  constructor(baseMs: number) {
    this.#baseMs = baseMs;
  }

  get length(): number {
    return this.#length;
  }

  /** Size of the entries in the journal. */
  get byteLength(): number {
    return headerBytes + this.#length * entryWords * 4;
  }

  add(high: number, low: number, untilMs: number): void {
    let at = this.#length * entryWords;
    if (at === this.#words.length) {
      const larger = new Uint32Array(this.#words.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[at++] = high;
    this.#words[at++] = low;
    this.#words[at] = untilMs - this.#baseMs;
    this.#length++;
  }

  each(visit: (high: number, low: number, untilMs: number) => void): void {
    const words = this.#words;
    for (let at = 0; at < this.#length * entryWords; at += entryWords) {
      visit(words[at] ?? 0, words[at + 1] ?? 0, this.#baseMs + (words[at + 2] ?? 0));
    }
  }

  /** `count` entries from `start` on, with `untilMs` limited to the given one. */
  slice(start: number, count: number, untilMs = Infinity): RequestEntries {
    const part = new RequestEntries(this.#baseMs);
    let index = 0;
    this.each((high, low, ownUntilMs) => {
      if (index >= start && index < start + count) part.add(high, low, Math.min(ownUntilMs, untilMs));
      index++;
    });
    return part;
  }

  encode(): Buffer {
    const bytes = Buffer.allocUnsafe(this.byteLength);
    bytes.writeUInt32LE(this.#length, 0);
    bytes.writeDoubleLE(this.#baseMs, 4);
    bytes.set(new Uint8Array(this.#words.buffer, 0, this.#length * entryWords * 4), headerBytes);
    return bytes;
  }

  /** The inverse of {@link encode}. @throws RangeError when the bytes are not what `encode` writes */
  static decode(bytes: Buffer): RequestEntries {
    const length = bytes.readUInt32LE(0);
    const entries = new RequestEntries(bytes.readDoubleLE(4));
    const content = bytes.subarray(headerBytes);
    if (content.length !== length * entryWords * 4) {
      throw new RangeError(`${content.length} bytes are not ${length} entries`);
    }
    // A copy: the bytes may be unaligned, and the words must not change with them.
    entries.#words = new Uint32Array(Math.max(1, length) * entryWords);
    new Uint8Array(entries.#words.buffer).set(content);
    entries.#length = length;
    return entries;
  }
}
