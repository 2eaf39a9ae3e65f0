import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";

/** A store's metadata of a metric family. */
export interface MetricMetadata {
  /** The family's name: that of its series without their suffixes. */
  readonly family: string;
  readonly type: "counter" | "gauge" | "histogram" | "gaugehistogram" | "summary" | "info" | "stateset";
  readonly help: string;
  readonly unit: string;
}

/** By the family's name. */
export type MetricFamilies = ReadonlyMap<string, MetricMetadata>;

const types: ReadonlySet<string> = new Set<MetricMetadata["type"]>([
  "counter",
  "gauge",
  "histogram",
  "gaugehistogram",
  "summary",
  "info",
  "stateset",
]);

/** Maximum number of families; further ones are left out. */
export const maxFamilies = 100_000;
/** Maximum length of all texts that are kept; families beyond it are left out. */
const maxTextLength = 2 ** 25;
/** Families with a longer name are left out. */
export const maxNameLength = 1_024;
/** Help and unit are cut to this length. */
export const maxHelpLength = 4_096;
/** Maximum size of a key or a description as received; a family with a longer one is left out. */
const maxCapturedBytes = 2 ** 16;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

/** Depth of the keys of the response, of those of `data`, and of a family's descriptions. */
const responseDepth = 1;
const dataDepth = 2;
const descriptionsDepth = 3;

/**
 * Decodes the body of `/api/v1/metadata` (https://prometheus.io/docs/prometheus/latest/querying/api/) as it
 * arrives: `{"status":"success","data":{"up":[{"type":"gauge","help":"…","unit":""}]}}`. Takes the first
 * description of each family, and leaves out families without a known type.
 *
 * The body may be large: only keys and first descriptions are parsed, each on its own, and everything else is
 * skipped by its brackets and quotes. The time is linear in the body's size, whatever it contains.
 */
export class MetadataDecoder {
  readonly #previous: MetricFamilies;
  readonly #families = new Map<string, MetricMetadata>();
  #textLength = 0;
  #hasChanges = false;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** A string that begins now is a key of the object at this depth. */
  #isKey = false;
  /** Of the response's last key. */
  #isDataKey = false;
  #isInData = false;
  #hasData = false;
  #isComplete = false;
  #isMalformed = false;
  /** The last key of `data`; undefined when it is too long. */
  #family: string | undefined;
  /** The first element of the family's array has not begun yet. */
  #awaitsFirst = false;
  #isCapturing = false;
  #captureStart = 0;
  /** The captured value's bytes: those of earlier chunks, at its end all of them. */
  readonly #captured = Buffer.allocUnsafe(maxCapturedBytes);
  #capturedBytes = 0;

  /** @param previous of an earlier response: equal families are taken from it */
  constructor(previous: MetricFamilies = new Map()) {
    this.#previous = previous;
  }

  /** Whether the families so far differ from the previous ones. */
  get hasChanges(): boolean {
    return this.#hasChanges || this.#families.size !== this.#previous.size;
  }

  /** @returns false when the body is malformed */
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

  /** Call at the end of the body. */
  finish(): MetricFamilies | ReadFailure {
    if (this.#isMalformed || !this.#isComplete) {
      return failure("malformed_answer", "the store's metadata is not JSON");
    }
    if (!this.#hasData) return failure("malformed_answer", "the store's metadata has no data");
    return this.#families;
  }

  #structure(chunk: Buffer, at: number, byte: number): void {
    switch (byte) {
      case quote:
        this.#isMalformed = this.#depth === 0;
        this.#isInString = true;
        if (this.#isKey) this.#beginCapture(at);
        return;
      case openBrace:
      case openBracket:
        this.#open(at, byte);
        return;
      case closeBrace:
      case closeBracket:
        this.#close(chunk, at);
        return;
      case comma:
        this.#isMalformed = this.#depth === 0;
        this.#isKey = this.#isAtKeys();
        if (this.#depth === responseDepth) this.#isDataKey = false;
        if (this.#depth === descriptionsDepth) this.#awaitsFirst = false;
        return;
      case colon:
        this.#isKey = false;
        this.#isMalformed = this.#depth === 0;
        return;
      default:
        if (this.#depth === 0 && !isSpace(byte)) this.#isMalformed = true;
    }
  }

  #open(at: number, byte: number): void {
    const isObjectStart = byte === openBrace;
    if (this.#depth === 0 && (this.#isComplete || !isObjectStart)) this.#isMalformed = true;
    if (this.#depth === responseDepth && this.#isDataKey && isObjectStart) {
      this.#isInData = true;
      this.#hasData = true;
    }
    if (this.#depth === dataDepth) this.#awaitsFirst = this.#isInData && !isObjectStart;
    if (this.#depth === descriptionsDepth && this.#awaitsFirst && isObjectStart) this.#beginCapture(at);
    this.#depth++;
    this.#isKey = isObjectStart && this.#isAtKeys();
  }

  #close(chunk: Buffer, at: number): void {
    this.#depth--;
    this.#isKey = false;
    if (this.#depth === descriptionsDepth && this.#isCapturing) {
      this.#awaitsFirst = false;
      this.#describe(this.#endCapture(chunk, at));
    }
    if (this.#depth === responseDepth) this.#isInData = false;
    if (this.#depth === 0) this.#isComplete = true;
    if (this.#depth < 0) this.#isMalformed = true;
  }

  #endString(chunk: Buffer, at: number): void {
    this.#isInString = false;
    if (!this.#isKey) return;
    this.#isKey = false;
    const key = this.#endCapture(chunk, at);
    if (this.#depth === responseDepth) this.#isDataKey = key === "data";
    else this.#family = typeof key === "string" && key.length <= maxNameLength ? key : undefined;
  }

  /** Whether the keys of the object at this depth matter. */
  #isAtKeys(): boolean {
    return this.#depth === responseDepth || (this.#depth === dataDepth && this.#isInData);
  }

  #describe(description: unknown): void {
    const family = this.#family;
    if (family === undefined || !isObject(description) || !types.has(String(description["type"]))) return;
    const help = keptText(description["help"]);
    const unit = keptText(description["unit"]);
    this.#textLength += family.length + help.length + unit.length;
    if (this.#textLength > maxTextLength) return;
    if (this.#families.size >= maxFamilies && !this.#families.has(family)) return;
    const type = String(description["type"]) as MetricMetadata["type"];
    const before = this.#previous.get(family);
    const isEqual = before?.type === type && before.help === help && before.unit === unit;
    if (!isEqual) this.#hasChanges = true;
    this.#families.set(family, isEqual ? before : { family, type, help, unit });
  }

  #beginCapture(at: number): void {
    this.#isCapturing = true;
    this.#captureStart = at;
    this.#capturedBytes = 0;
  }

  /** The value up to and including the byte at `end`; undefined when it is too long. */
  #endCapture(chunk: Buffer, end: number): unknown {
    this.#addCaptured(chunk.subarray(this.#captureStart, end + 1));
    this.#isCapturing = false;
    if (this.#capturedBytes > maxCapturedBytes) return undefined;
    try {
      return JSON.parse(this.#captured.toString("utf8", 0, this.#capturedBytes));
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

/** White space of JSON (RFC 8259, section 2). */
function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * A short text of valid Unicode, as the encoders need it. A cut one gets memory of its own: a slice would
 * keep the whole text.
 */
function keptText(value: unknown): string {
  if (typeof value !== "string") return "";
  if (value.length <= maxHelpLength && !hasSurrogate.test(value)) return value;
  return Buffer.from(value.slice(0, maxHelpLength)).toString("utf8");
}

const hasSurrogate = /[\ud800-\udfff]/;
