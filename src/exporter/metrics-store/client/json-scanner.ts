import { parseJson } from "../../../base/documents/parse-json.ts";

/** Stands for every member of an object or every element of an array. */
export const each = Symbol("each");
/** Stands for the first element of an array. */
export const first = Symbol("first");

/** A place in a JSON document, and what is wanted of the values there. Wanted values must not lie in one another. */
interface JsonPlace {
  readonly path: readonly (string | typeof each | typeof first)[];
  /**
   * Receives each string, object or array at the place; undefined when it is too long.
   *
   * @param keys by depth, from 1 on, of the objects around it; undefined for arrays, and when it is too long
   */
  readonly onValue?: (value: unknown, keys: readonly unknown[]) => void;
  /** Called at the end of each object or array at the place. */
  readonly onEnd?: (isObject: boolean) => void;
}

/** Longer keys and values are not parsed. */
export const maxCapturedBytes = 2 ** 16;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/**
 * Finds the values at some places of a large JSON document (RFC 8259) as it arrives. Only keys on the way to
 * a place, and the values there, are parsed, each on its own; everything else is skipped by its brackets and
 * quotes. The time is linear in the document's size, whatever it contains.
 */
export class JsonScanner {
  readonly #places: readonly JsonPlace[];
  /** Depth of the deepest place. */
  readonly #maxDepth: number;
  /** By depth: the places there whose values are parsed, as bits. */
  readonly #wanted: number[] = [];
  /** By depth: the places that go on in the first element of an array there, as bits. */
  readonly #first: number[] = [];
  #depth = 0;
  /** By depth: the places that the value there is on the way to, as bits. */
  readonly #matches: number[] = [];
  /** By depth: whether the object or array there is an object, and its last key that matters. */
  readonly #isObject: boolean[] = [];
  readonly #keys: unknown[] = [];
  #isInString = false;
  #isEscaped = false;
  /** A string that begins now is a key that matters. */
  #isKey = false;
  #isCapturing = false;
  /** Depth of the captured value, a string or the object or array that is open. */
  #captureDepth = 0;
  #captureStart = 0;
  /** The captured value's bytes: those of earlier chunks, at its end all of them. */
  readonly #captured = Buffer.allocUnsafe(maxCapturedBytes);
  #capturedBytes = 0;
  #isComplete = false;
  #isMalformed = false;

  /** @param places at most 31 */
  constructor(places: readonly JsonPlace[]) {
    this.#places = places;
    this.#maxDepth = Math.max(...places.map(({ path }) => path.length));
    this.#matches.push(2 ** places.length - 1);
    for (const [index, { path, onValue }] of places.entries()) {
      if (onValue !== undefined) this.#wanted[path.length] = (this.#wanted[path.length] ?? 0) | (1 << index);
      const depth = path.indexOf(first) + 1;
      if (depth > 0) this.#first[depth] = (this.#first[depth] ?? 0) | (1 << index);
    }
  }

  /** Whether the document has ended, and no fault was found in it. */
  get isComplete(): boolean {
    return this.#isComplete && !this.#isMalformed;
  }

  /** @returns false when the document is malformed */
  take(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length && !this.#isMalformed; at++) {
      const byte = chunk[at] as number;
      if (!this.#isInString) this.#structure(chunk, at, byte);
      else if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) this.#endString(chunk, at);
    }
    this.#keepCapture(chunk);
    return !this.#isMalformed;
  }

  #structure(chunk: Buffer, at: number, byte: number): void {
    switch (byte) {
      case quote:
        this.#isMalformed = this.#depth === 0;
        this.#isInString = true;
        if (this.#isKey || this.#isWanted()) this.#beginCapture(at);
        return;
      case openBrace:
      case openBracket:
        this.#open(at, byte === openBrace);
        return;
      case closeBrace:
      case closeBracket:
        this.#close(chunk, at, byte === closeBrace);
        return;
      case comma:
        this.#isMalformed = this.#depth === 0;
        this.#leaveFirst();
        this.#beginMember();
        return;
      case colon:
        this.#isMalformed = this.#depth === 0;
        this.#isKey = false;
        return;
      default:
        if (this.#depth === 0 && !isSpace(byte)) this.#isMalformed = true;
    }
  }

  #open(at: number, isObject: boolean): void {
    if (this.#depth === 0 && this.#isComplete) this.#isMalformed = true;
    if (this.#isWanted()) this.#beginCapture(at);
    const matches = this.#matchesAt(this.#depth);
    this.#depth++;
    if (this.#depth > this.#maxDepth) return;
    this.#isObject[this.#depth] = isObject;
    this.#matches[this.#depth] = isObject ? 0 : this.#following(matches, first);
    this.#keys[this.#depth] = undefined;
    this.#beginMember();
  }

  #close(chunk: Buffer, at: number, isObject: boolean): void {
    this.#depth--;
    this.#isKey = false;
    if (this.#isCapturing && this.#depth === this.#captureDepth) this.#pass(this.#endCapture(chunk, at));
    if (!this.#isCapturing) for (const { onEnd } of this.#placesHere()) onEnd?.(isObject);
    if (this.#depth === 0) this.#isComplete = true;
    if (this.#depth < 0) this.#isMalformed = true;
  }

  #endString(chunk: Buffer, at: number): void {
    this.#isInString = false;
    if (!this.#isCapturing || this.#depth !== this.#captureDepth) return;
    const text = this.#endCapture(chunk, at);
    if (!this.#isKey) {
      this.#pass(text);
      return;
    }
    this.#isKey = false;
    this.#keys[this.#depth] = text;
    this.#matches[this.#depth] = this.#following(this.#matchesAt(this.#depth - 1), text);
  }

  #pass(value: unknown): void {
    if (this.#isMalformed) return;
    for (const { onValue } of this.#placesHere()) onValue?.(value, this.#keys);
  }

  /** The places at the present value, which is whole. */
  #placesHere(): readonly JsonPlace[] {
    const matches = this.#matchesAt(this.#depth);
    if (matches === 0) return noPlaces;
    return this.#places.filter(({ path }, index) => isBit(matches, index) && path.length === this.#depth);
  }

  /** Whether the value that begins is to be parsed. */
  #isWanted(): boolean {
    if (this.#isCapturing) return false;
    return (this.#matchesAt(this.#depth) & (this.#wanted[this.#depth] ?? 0)) !== 0;
  }

  /** In an object, a key follows. It matters where a place may lie in the object. */
  #beginMember(): void {
    const isKey = !this.#isCapturing && this.#depth <= this.#maxDepth && this.#isObject[this.#depth] === true;
    if (isKey) this.#matches[this.#depth] = 0;
    this.#isKey = isKey && this.#matchesAt(this.#depth - 1) !== 0;
  }

  #leaveFirst(): void {
    const places = this.#first[this.#depth];
    if (places !== undefined) this.#matches[this.#depth] = this.#matchesAt(this.#depth) & ~places;
  }

  #matchesAt(depth: number): number {
    return depth > this.#maxDepth ? 0 : (this.#matches[depth] ?? 0);
  }

  /** Those of the places whose next step is this key, or `each`. @param key `first` for an array */
  #following(matches: number, key: unknown): number {
    let following = 0;
    for (let index = 0; index < this.#places.length; index++) {
      const step = this.#places[index]?.path[this.#depth - 1];
      if (isBit(matches, index) && step !== undefined && (step === each || step === key)) {
        following |= 1 << index;
      }
    }
    return following;
  }

  #beginCapture(at: number): void {
    this.#isCapturing = true;
    this.#captureDepth = this.#depth;
    this.#captureStart = at;
    this.#capturedBytes = 0;
  }

  /** The value up to and including the byte at `end`; undefined when it is too long. */
  #endCapture(chunk: Buffer, end: number): unknown {
    this.#addCaptured(chunk.subarray(this.#captureStart, end + 1));
    this.#isCapturing = false;
    if (this.#capturedBytes > maxCapturedBytes) return undefined;
    try {
      return parseJson(this.#captured.toString("utf8", 0, this.#capturedBytes));
    } catch {
      this.#isMalformed = true;
      return undefined;
    }
  }

  /** Copies what the chunk has of a value that continues in the next one: its memory is reused. */
  #keepCapture(chunk: Buffer): void {
    if (!this.#isCapturing) return;
    this.#addCaptured(chunk.subarray(this.#captureStart));
    this.#captureStart = 0;
  }

  #addCaptured(bytes: Buffer): void {
    bytes.copy(this.#captured, Math.min(this.#capturedBytes, maxCapturedBytes));
    this.#capturedBytes += bytes.length;
  }
}

const noPlaces: readonly JsonPlace[] = [];

function isBit(bits: number, index: number): boolean {
  return (bits & (1 << index)) !== 0;
}

/** White space of JSON (RFC 8259, section 2). */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
