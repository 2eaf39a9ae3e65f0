/**
 * A map from 64-bit hashes to numbers, by open addressing in typed arrays. It needs a fraction of the memory
 * of a Map with bigint or string keys. A window that is run again looks up every acknowledged series in it.
 */
export class SeriesHashTable {
  #keys: Int32Array;
  #values: Float64Array;
  #mask: number;
  #size = 0;

  constructor(expected = 16) {
    let capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    this.#keys = new Int32Array(capacity * 2);
    this.#values = new Float64Array(capacity).fill(Number.NaN);
    this.#mask = capacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** The value of a hash, or undefined. Values are never NaN: NaN marks a free slot. */
  get(high: number, low: number): number | undefined {
    const value = this.#values[this.#slot(high, low)];
    return value === undefined || Number.isNaN(value) ? undefined : value;
  }

  set(high: number, low: number, value: number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    const slot = this.#slot(high, low);
    if (Number.isNaN(this.#values[slot])) this.#size++;
    this.#keys[slot * 2] = high;
    this.#keys[slot * 2 + 1] = low;
    this.#values[slot] = value;
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
    while (!Number.isNaN(this.#values[slot])) {
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
      const value = values[slot];
      if (value === undefined || Number.isNaN(value)) continue;
      larger.set(keys[slot * 2] ?? 0, keys[slot * 2 + 1] ?? 0, value);
    }
    this.#keys = larger.#keys;
    this.#values = larger.#values;
    this.#mask = larger.#mask;
  }
}
