/**
 * Which series a request carries, and how far: what the window journal remembers of it. An entry is the series' hash
 * (64 bits, as two unsigned halves) and `untilMs`: Infinity when the request holds the rest of the series' window,
 * else the time of the last of its samples in the request (the series goes on in a later one).
 *
 * On disk: u32 count of whole entries, 8 bytes for each; then 16 bytes for each partial one (hash, float64 untilMs).
 */
export class RequestEntries {
  #hashes = new Uint32Array(64);
  #untilMs: number[] | undefined;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(high: number, low: number, untilMs: number): void {
    if (this.#length * 2 === this.#hashes.length) {
      const larger = new Uint32Array(this.#hashes.length * 2);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    this.#hashes[this.#length * 2] = high;
    this.#hashes[this.#length * 2 + 1] = low;
    if (untilMs !== Infinity) this.#untilMs ??= new Array<number>(this.#length).fill(Infinity);
    this.#untilMs?.push(untilMs);
    this.#length++;
  }

  each(visit: (high: number, low: number, untilMs: number) => void): void {
    for (let index = 0; index < this.#length; index++) {
      visit(
        this.#hashes[index * 2] ?? 0,
        this.#hashes[index * 2 + 1] ?? 0,
        this.#untilMs?.[index] ?? Infinity,
      );
    }
  }

  /** `count` entries from `start` on, none of them further than `untilMs`. */
  slice(start: number, count: number, untilMs = Infinity): RequestEntries {
    const part = new RequestEntries();
    for (let index = start; index < Math.min(start + count, this.#length); index++) {
      const ownUntilMs = this.#untilMs?.[index] ?? Infinity;
      part.add(this.#hashes[index * 2] ?? 0, this.#hashes[index * 2 + 1] ?? 0, Math.min(ownUntilMs, untilMs));
    }
    return part;
  }

  encode(): Buffer {
    const partial = this.#untilMs?.filter((untilMs) => untilMs !== Infinity).length ?? 0;
    const whole = this.#length - partial;
    const bytes = Buffer.allocUnsafe(4 + whole * 8 + partial * 16);
    let wholeAt = bytes.writeUInt32LE(whole, 0);
    let partialAt = 4 + whole * 8;
    this.each((high, low, untilMs) => {
      if (untilMs === Infinity) {
        bytes.writeUInt32LE(high, wholeAt);
        wholeAt = bytes.writeUInt32LE(low, wholeAt + 4);
      } else {
        bytes.writeUInt32LE(high, partialAt);
        bytes.writeUInt32LE(low, partialAt + 4);
        partialAt = bytes.writeDoubleLE(untilMs, partialAt + 8);
      }
    });
    return bytes;
  }

  /** The inverse of {@link encode}. @throws RangeError when the bytes are not what `encode` writes */
  static decode(bytes: Buffer): RequestEntries {
    const entries = new RequestEntries();
    const whole = bytes.readUInt32LE(0);
    let at = 4;
    for (let index = 0; index < whole; index++, at += 8) {
      entries.add(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), Infinity);
    }
    for (; at < bytes.length; at += 16) {
      entries.add(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4), bytes.readDoubleLE(at + 8));
    }
    return entries;
  }
}
