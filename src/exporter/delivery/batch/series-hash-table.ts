/**
 * A map from 64-bit hashes to unsigned numbers below 2^32 - 1, by open addressing in typed arrays. It needs a
 * fraction of the memory of a Map with bigint or string keys: 12 bytes a slot, at most half of them taken. A
 * window that is run again looks up every acknowledged series in it.
 */
export class SeriesHashTable {
  #keys: Int32Array;
  /** The value and 1; 0 marks a free slot. */
  #values: Uint32Array;
  #mask: number;
  #size = 0;

  constructor(expected = 16) {
    let capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    this.#keys = new Int32Array(capacity * 2);
    this.#values = new Uint32Array(capacity);
    this.#mask = capacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** The value of a hash, or undefined. */
  get(high: number, low: number): number | undefined {
    const value = this.#values[this.#slot(high, low)] ?? 0;
    return value === 0 ? undefined : value - 1;
  }

  set(high: number, low: number, value: number): void {
    this.update(high, low, () => value);
  }

  /** Sets the value of a hash to what the function makes of its present one: a single search. */
  update(high: number, low: number, next: (present: number | undefined) => number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    const slot = this.#slot(high, low);
    const present = this.#values[slot] ?? 0;
    this.#values[slot] = next(present === 0 ? undefined : present - 1) + 1;
    if (present !== 0) return;
    this.#size++;
    this.#keys[slot * 2] = high;
    this.#keys[slot * 2 + 1] = low;
  }

  /** Raises the value of a hash to `value` if that is larger. */
  raise(high: number, low: number, value: number): void {
    const present = this.get(high, low);
    if (present === undefined || present < value) this.set(high, low, value);
  }

  /** The slot of the hash, or the free slot for it. The table is never full, so the search ends. */
  #slot(high: number, low: number): number {
    // The bits are the same, signed or unsigned; signed ones are small integers to V8.
    const signedHigh = high | 0;
    const signedLow = low | 0;
    let slot = (signedLow ^ (signedHigh >>> 7)) & this.#mask;
    while (this.#values[slot] !== 0) {
      if (this.#keys[slot * 2] === signedHigh && this.#keys[slot * 2 + 1] === signedLow) return slot;
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }

  #grow(): void {
    const keys = this.#keys;
    const values = this.#values;
    const larger = new SeriesHashTable(values.length);
    for (let slot = 0; slot < values.length; slot++) {
      const value = values[slot] ?? 0;
      if (value !== 0) larger.set(keys[slot * 2] ?? 0, keys[slot * 2 + 1] ?? 0, value - 1);
    }
    this.#keys = larger.#keys;
    this.#values = larger.#values;
    this.#mask = larger.#mask;
  }
}
