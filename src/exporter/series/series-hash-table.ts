/** Words of a slot: the value and 1 (0 marks a free slot), and the halves of the hash. */
const slotWords = 3;

/**
 * A map from 64-bit hashes to unsigned numbers below 2^32 - 1, by open addressing in a typed array. It needs
 * a fraction of the memory of a Map with bigint or string keys: 12 bytes a slot, at most half of them taken.
 * A slot's words are side by side, since a large table is in no cache of the processor. A window that is run
 * again looks up every acknowledged series in it.
 */
export class SeriesHashTable {
  /** Signed: these are small integers to V8. */
  #slots: Int32Array;
  #mask: number;
  #size = 0;

  constructor(expected = 16) {
    let capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    this.#slots = new Int32Array(capacity * slotWords);
    this.#mask = capacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  /** The value of a hash, or undefined. */
  get(high: number, low: number): number | undefined {
    return unpacked(this.#slots[this.#slot(high, low)] ?? 0);
  }

  set(high: number, low: number, value: number): void {
    this.update(high, low, () => value);
  }

  /** Sets the value of a hash that has none: a single search. @returns the value it has already */
  add(high: number, low: number, value: number): number | undefined {
    if (this.#size * 2 > this.#mask) this.#grow();
    const slot = this.#slot(high, low);
    const present = this.#slots[slot] ?? 0;
    if (present !== 0) return unpacked(present);
    this.#slots[slot] = value + 1;
    this.#slots[slot + 1] = high;
    this.#slots[slot + 2] = low;
    this.#size++;
    return undefined;
  }

  /** Sets the value of a hash to what the function makes of its present one: a single search. */
  update(high: number, low: number, next: (present: number | undefined) => number): void {
    if (this.#size * 2 > this.#mask) this.#grow();
    const slot = this.#slot(high, low);
    const present = this.#slots[slot] ?? 0;
    this.#slots[slot] = next(unpacked(present)) + 1;
    if (present !== 0) return;
    this.#size++;
    this.#slots[slot + 1] = high;
    this.#slots[slot + 2] = low;
  }

  /** Raises the value of a hash to `value` if that is larger. */
  raise(high: number, low: number, value: number): void {
    this.update(high, low, (present) => (present === undefined || present < value ? value : present));
  }

  /**
   * The first word of the hash's slot, or of the free slot for it. The table is never full, so the search
   * ends.
   */
  #slot(high: number, low: number): number {
    const slots = this.#slots;
    const signedHigh = high | 0;
    const signedLow = low | 0;
    let index = (signedLow ^ (signedHigh >>> 7)) & this.#mask;
    for (;;) {
      const slot = index * slotWords;
      if (slots[slot] === 0 || (slots[slot + 1] === signedHigh && slots[slot + 2] === signedLow)) return slot;
      index = (index + 1) & this.#mask;
    }
  }

  #grow(): void {
    const slots = this.#slots;
    const larger = new SeriesHashTable(this.#mask + 1);
    for (let slot = 0; slot < slots.length; slot += slotWords) {
      const value = unpacked(slots[slot] ?? 0);
      if (value !== undefined) larger.set(slots[slot + 1] ?? 0, slots[slot + 2] ?? 0, value);
    }
    this.#slots = larger.#slots;
    this.#mask = larger.#mask;
  }
}

function unpacked(word: number): number | undefined {
  return word === 0 ? undefined : (word - 1) >>> 0;
}
