/**
 * Sets of times that many series share, each under a number from 0 on. Series of one target are scraped at
 * the same times, so a thousand series need one set.
 *
 * A time is a distance in ms (unsigned, 32 bits) from a base that the owner keeps. Sets are in time order; a
 * time that a series has twice is in its set twice.
 */
export class TimeSets {
  /** For each set its size, then its times. */
  #words: Uint32Array;
  #length = 0;
  /** Index of each set in the words. */
  readonly #starts: number[] = [];
  /** The last set with a given hash of its times. */
  readonly #byHash = new Map<number, number>();

  constructor(capacity = 16) {
    this.#words = new Uint32Array(capacity);
  }

  get count(): number {
    return this.#starts.length;
  }

  /** The encoded form of all sets; valid until the next is added. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }

  /** The number of the set that holds these times, from `start` up to, not including, `end`. */
  add(timesMs: ArrayLike<number>, start: number, end: number, baseMs: number): number {
    let hash = end - start;
    for (let index = start; index < end; index++) {
      hash = Math.imul(hash, 0x01000193) ^ ((timesMs[index] ?? 0) - baseMs);
    }
    const known = this.#byHash.get(hash);
    if (known !== undefined && this.#holds(known, timesMs, start, end, baseMs)) return known;
    const size = end - start;
    this.#reserve(size + 1);
    const number = this.#starts.push(this.#length) - 1;
    this.#words[this.#length++] = size;
    for (let index = start; index < end; index++) {
      this.#words[this.#length++] = (timesMs[index] ?? 0) - baseMs;
    }
    this.#byHash.set(hash, number);
    return number;
  }

  /** The times of a set; valid until the next is added. Empty if there is no such set. */
  get(number: number): Uint32Array {
    const start = this.#starts[number];
    if (start === undefined) return none;
    return this.#words.subarray(start + 1, start + 1 + (this.#words[start] ?? 0));
  }

  /** The latest time of a set; 0 if there is no such set. */
  last(number: number): number {
    const start = this.#starts[number] ?? 0;
    return this.#words[start + (this.#words[start] ?? 0)] ?? 0;
  }

  /** The inverse of {@link words}. @throws RangeError when the words are not what that gives */
  static of(words: Uint32Array): TimeSets {
    const sets = new TimeSets(Math.max(1, words.length));
    for (let at = 0; at < words.length; ) {
      const size = words[at] ?? 0;
      if (at + 1 + size > words.length) throw new RangeError("a set of times is cut off");
      sets.#starts.push(at);
      at += 1 + size;
    }
    sets.#words.set(words);
    sets.#length = words.length;
    return sets;
  }

  #holds(number: number, timesMs: ArrayLike<number>, start: number, end: number, baseMs: number): boolean {
    const at = (this.#starts[number] ?? 0) + 1;
    const words = this.#words;
    if (words[at - 1] !== end - start) return false;
    for (let index = start; index < end; index++) {
      if (words[at + index - start] !== (timesMs[index] ?? 0) - baseMs) return false;
    }
    return true;
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#words.length) return;
    const larger = new Uint32Array(Math.max(this.#length + count, this.#words.length * 2));
    larger.set(this.#words);
    this.#words = larger;
  }
}

const none = new Uint32Array(0);
