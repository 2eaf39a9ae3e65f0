import { randomBytes } from "node:crypto";

/** A known text, stored as hashes. */
export interface KnownText {
  readonly key: number;
  readonly head: number;
  /** Number of holders. */
  holders: number;
}

interface Head {
  /** Bit n: some known text of n characters begins with these. */
  lengths: number;
  texts: number;
}

/** Shorter texts are not masked: they occur everywhere. */
const leastChars = 4;
/** Shorter texts match as whole words only: within a word they would match by chance. */
const leastPartChars = 8;
/** Longer texts are stored in pieces of this length, so that a part of one is masked, too. */
const pieceChars = 31;
const mask = "***";

/**
 * Masks many known texts in another. Stores no copy of them, only keyed hashes. The search is linear in the
 * text, however many texts are known: at each position, the hash of the next four characters gives the
 * lengths (31 at most) to look up, each at the cost of a subtraction.
 */
export class SecretTexts {
  readonly #texts = new Map<number, KnownText>();
  readonly #heads = new Map<number, Head>();
  readonly #maxTexts: number;

  /** @param maxTexts further texts are not stored */
  constructor(maxTexts: number) {
    this.#maxTexts = maxTexts;
  }

  get size(): number {
    return this.#texts.size;
  }

  /** @returns the argument for {@link remove}; each `add` needs one `remove` */
  add(text: string): KnownText[] {
    if (text.length < leastChars) return [];
    const hashes = new Hashes(text);
    const last = text.length - pieceChars;
    if (last <= 0) return this.#addPiece(hashes, 0, text.length);
    const known: KnownText[] = [];
    for (let at = 0; at < last; at += pieceChars) known.push(...this.#addPiece(hashes, at, pieceChars));
    // The last piece overlaps, so that all pieces have the same length.
    return [...known, ...this.#addPiece(hashes, last, pieceChars)];
  }

  remove(known: readonly KnownText[]): void {
    for (const text of known) {
      if (--text.holders > 0) continue;
      this.#texts.delete(text.key);
      const head = this.#heads.get(text.head);
      if (head !== undefined && --head.texts === 0) this.#heads.delete(text.head);
    }
  }

  #addPiece(hashes: Hashes, at: number, length: number): KnownText[] {
    const key = hashes.key(at, length);
    const before = this.#texts.get(key);
    if (before !== undefined) {
      before.holders++;
      return [before];
    }
    if (this.#texts.size >= this.#maxTexts) return [];
    const known = { key, head: hashes.head(at), holders: 1 };
    this.#texts.set(key, known);
    const head = this.#heads.get(known.head) ?? { lengths: 0, texts: 0 };
    head.lengths |= 1 << length;
    head.texts++;
    this.#heads.set(known.head, head);
    return [known];
  }

  /** The text with `***` in place of each run of known texts. */
  mask(text: string): string {
    if (this.#texts.size === 0 || text.length < leastChars) return text;
    const hashes = new Hashes(text);
    let masked = "";
    let copiedTo = 0;
    let from = 0;
    let to = 0;
    const last = text.length - leastChars;
    for (let at = 0; at <= last; at++) {
      const length = this.#lengthAt(text, hashes, at);
      if (length === 0) continue;
      if (at > to || to === 0) {
        if (to > 0) {
          masked += text.slice(copiedTo, from) + mask;
          copiedTo = to;
        }
        from = at;
      }
      to = Math.max(to, at + length);
    }
    if (to === 0) return text;
    return masked + text.slice(copiedTo, from) + mask + text.slice(to);
  }

  /** Length of the longest known text at this position; 0 for none. */
  #lengthAt(text: string, hashes: Hashes, at: number): number {
    let lengths = this.#heads.get(hashes.head(at))?.lengths ?? 0;
    while (lengths !== 0) {
      const length = 31 - Math.clz32(lengths);
      lengths ^= 1 << length;
      if (at + length > text.length || !this.#texts.has(hashes.key(at, length))) continue;
      if (length >= leastPartChars || isWord(text, at, at + length)) return length;
    }
    return 0;
  }
}

function isWord(text: string, from: number, to: number): boolean {
  return !isWordChar(text.charAt(from - 1)) && !isWordChar(text.charAt(to));
}

function isWordChar(char: string): boolean {
  return /^[\p{L}\p{N}_]$/u.test(char);
}

/** Odd, so that no bit is lost; random and secret, so that no input can be crafted to collide. */
const [firstBase, secondBase, salt] = [...new Uint32Array(randomBytes(12).buffer.slice(0, 12))].map(
  (random) => random | 1,
) as [number, number, number];
const firstPowers = powersOf(firstBase);
const secondPowers = powersOf(secondBase);

function powersOf(base: number): Int32Array {
  const powers = new Int32Array(pieceChars + 1);
  powers[0] = 1;
  for (let power = 1; power <= pieceChars; power++) {
    powers[power] = Math.imul(powers[power - 1] ?? 0, base);
  }
  return powers;
}

/** Polynomial hashes (modulo 2^32, two bases) of all prefixes of a text; they yield any substring's hash. */
class Hashes {
  readonly #first: Int32Array;
  readonly #second: Int32Array;

  constructor(text: string) {
    this.#first = new Int32Array(text.length + 1);
    this.#second = new Int32Array(text.length + 1);
    let first = 0;
    let second = 0;
    for (let index = 0; index < text.length; index++) {
      const mixed = Math.imul(text.charCodeAt(index) ^ salt, 0x9e3779b1);
      first = (Math.imul(first, firstBase) + (mixed ^ (mixed >>> 15))) | 0;
      second = (Math.imul(second, secondBase) + (mixed ^ (mixed >>> 13))) | 0;
      this.#first[index + 1] = first;
      this.#second[index + 1] = second;
    }
  }

  /** Hash of the next `leastChars` characters. */
  head(at: number): number {
    return partOf(this.#first, firstPowers, at, leastChars);
  }

  /** 53 bits. */
  key(at: number, length: number): number {
    const first = partOf(this.#first, firstPowers, at, length) >>> 0;
    const second = partOf(this.#second, secondPowers, at, length) >>> 11;
    return first * 2 ** 21 + second;
  }
}

function partOf(hashes: Int32Array, powers: Int32Array, at: number, length: number): number {
  return ((hashes[at + length] ?? 0) - Math.imul(hashes[at] ?? 0, powers[length] ?? 0)) | 0;
}
