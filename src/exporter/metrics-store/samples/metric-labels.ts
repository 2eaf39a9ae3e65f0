import { isUtf8 } from "node:buffer";
import type { Label } from "../../series/series.ts";

/** Reason a line's metric cannot become a series, while later lines can. Stable: a label of a metric. */
export type InvalidReason = "line_too_long" | "too_many_labels" | "label_value_too_long" | "duplicate_label";

export interface InvalidLabels {
  readonly kind: "invalid";
  readonly reason: InvalidReason;
  readonly message: string;
}

export interface LabelLimits {
  readonly maxLabels: number;
  /** Maximum bytes of a label's name or value, as received. */
  readonly maxValueBytes: number;
}

export const defaultLabelLimits: LabelLimits = { maxLabels: 10_000, maxValueBytes: 2 ** 19 };

/** A parsed metric object. */
export interface MetricLabels {
  readonly kind: "labels";
  /** Sorted by name (UTF-16 code units), no duplicate names, no empty values. */
  readonly labels: Label[];
  /** False when a name or value has bytes that are not UTF-8; U+FFFD replaces them in `labels`. */
  readonly isUtf8: boolean;
}

/** Parses labels from a store's bytes. @returns undefined when the bytes are malformed */
export type MetricParser = (
  bytes: Buffer,
  start: number,
  end: number,
  limits: LabelLimits,
  interner: LabelInterner,
) => MetricLabels | InvalidLabels | undefined;

/**
 * Parses a JSON object of strings, `{"__name__":"up","job":"x"}`, from `start` to `end` (exclusive; white
 * space but no newline allowed).
 *
 * @returns the labels, the reason they are invalid, or undefined when it is not such an object
 */
export function parseMetric(
  bytes: Buffer,
  start: number,
  end: number,
  limits: LabelLimits,
  interner: LabelInterner,
): MetricLabels | InvalidLabels | undefined {
  // Otherwise a truncated line would run on into the next one.
  const metric = bytes.subarray(start, end);
  if (metric.includes(10)) return undefined;
  const labels: Label[] = [];
  let at = skipSpace(bytes, start, end);
  if (bytes[at] !== openBrace) return undefined;
  at = skipSpace(bytes, at + 1, end);
  let count = 0;
  // An empty object is a series without labels; a comma must be followed by another label.
  while (count > 0 || bytes[at] !== closeBrace) {
    const nameEnd = stringEnd(bytes, at, end);
    if (nameEnd === -1) return undefined;
    const colon = skipSpace(bytes, nameEnd, end);
    if (bytes[colon] !== 58) return undefined;
    const valueStart = skipSpace(bytes, colon + 1, end);
    const valueEnd = stringEnd(bytes, valueStart, end);
    if (valueEnd === -1) return undefined;
    const invalid = beyondLimits(++count, Math.max(nameEnd - at, valueEnd - valueStart) - 2, limits);
    if (invalid !== undefined) return invalid;
    if (valueEnd - valueStart > 2) {
      const label = interner.label(bytes, at, nameEnd, valueStart, valueEnd);
      if (label === undefined) return undefined;
      labels.push(label);
    }
    at = skipSpace(bytes, valueEnd, end);
    if (bytes[at] === closeBrace) break;
    if (bytes[at] !== 44) return undefined;
    at = skipSpace(bytes, at + 1, end);
  }
  if (skipSpace(bytes, at + 1, end) !== end) return undefined;
  const duplicate = sortLabels(labels);
  if (duplicate !== undefined) return duplicate;
  return {
    kind: "labels",
    labels,
    isUtf8: isUtf8(metric) && !(metric.includes(backslash) && hasSurrogate(labels)),
  };
}

/** @param bytes length of the longer one of a label's name and value */
export function beyondLimits(labels: number, bytes: number, limits: LabelLimits): InvalidLabels | undefined {
  if (labels > limits.maxLabels) {
    return invalidLabels("too_many_labels", `a series has more than ${limits.maxLabels} labels`);
  }
  if (bytes > limits.maxValueBytes) {
    return invalidLabels("label_value_too_long", `a label is longer than ${limits.maxValueBytes} bytes`);
  }
  return undefined;
}

/** Sorts labels by name. @returns the reason a series with a duplicate label is invalid */
export function sortLabels(labels: Label[]): InvalidLabels | undefined {
  if (!isSorted(labels)) labels.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  for (let index = 1; index < labels.length; index++) {
    const name = labels[index]?.name;
    if (name === labels[index - 1]?.name) {
      return invalidLabels("duplicate_label", `a series has the label ${JSON.stringify(name)} twice`);
    }
  }
  return undefined;
}

/** Stores mostly write labels in order, and checking is much cheaper than sorting. */
function isSorted(labels: readonly Label[]): boolean {
  for (let index = 1; index < labels.length; index++) {
    if ((labels[index - 1] as Label).name > (labels[index] as Label).name) return false;
  }
  return true;
}

/** A lone surrogate has no UTF-8 form; only an escape can produce one. */
function hasSurrogate(labels: readonly Label[]): boolean {
  return labels.some(({ name, value }) => surrogate.test(name) || surrogate.test(value));
}

/**
 * Creates labels from their bytes and reuses recent objects for equal labels: most of a store's labels (job,
 * instance, namespace) are shared by very many series. It has a fixed number of places, each holding its
 * latest label, so that nothing needs evicting. They are few, since they are all that remains of the labels
 * of parsed series.
 */
export class LabelInterner {
  /** A power of two. */
  readonly #places = new Array<Label | undefined>(2 ** 12).fill(undefined);

  /**
   * The positions are those of the strings with their quotes.
   *
   * @returns undefined when one is not a JSON string
   */
  label(
    bytes: Buffer,
    nameStart: number,
    nameEnd: number,
    valueStart: number,
    valueEnd: number,
  ): Label | undefined {
    const plain = this.#plainLabel(bytes, nameStart + 1, nameEnd - 1, valueStart + 1, valueEnd - 1);
    if (plain !== undefined) return plain;
    const name = decodeString(bytes, nameStart, nameEnd);
    const value = decodeString(bytes, valueStart, valueEnd);
    if (name === undefined || value === undefined) return undefined;
    return { name, value };
  }

  /** The same for texts without quotes and escapes; U+FFFD replaces bytes that are not UTF-8. */
  bareLabel(bytes: Buffer, nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): Label {
    const plain = this.#plainLabel(bytes, nameStart, nameEnd, valueStart, valueEnd);
    if (plain !== undefined) return plain;
    return {
      name: bytes.toString("utf8", nameStart, nameEnd),
      value: bytes.toString("utf8", valueStart, valueEnd),
    };
  }

  /** @returns undefined if a label has several encodings: with a backslash, or not printable ASCII */
  #plainLabel(
    bytes: Buffer,
    nameStart: number,
    nameEnd: number,
    valueStart: number,
    valueEnd: number,
  ): Label | undefined {
    const hash = plainHash(bytes, valueStart, valueEnd, plainHash(bytes, nameStart, nameEnd, 0));
    if (hash === undefined) return undefined;
    const place = (hash ^ (hash >>> 15)) & (this.#places.length - 1);
    const held = this.#places[place];
    if (
      held !== undefined &&
      isText(bytes, nameStart, nameEnd, held.name) &&
      isText(bytes, valueStart, valueEnd, held.value)
    ) {
      return held;
    }
    const label = {
      name: bytes.toString("latin1", nameStart, nameEnd),
      value: bytes.toString("latin1", valueStart, valueEnd),
    };
    this.#places[place] = label;
    return label;
  }
}

const openBrace = 123;
const closeBrace = 125;
const quote = 34;
const backslash = 92;
const surrogate = /\p{Surrogate}/u;

function invalidLabels(reason: InvalidReason, message: string): InvalidLabels {
  return { kind: "invalid", reason, message };
}

/** @returns undefined when a byte is a backslash or not printable ASCII, or `hash` is already undefined */
function plainHash(bytes: Buffer, start: number, end: number, hash: number | undefined): number | undefined {
  if (hash === undefined) return undefined;
  let mixed = hash;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte >= 128 || byte === backslash || byte < 32) return undefined;
    mixed = Math.imul(mixed ^ byte, 0x01000193);
  }
  return mixed;
}

export function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end) {
    const byte = bytes[at] as number;
    if (byte !== 32 && byte !== 9 && byte !== 13 && byte !== 10) break;
    at++;
  }
  return at;
}

/** The position after the string that opens at `start`, or -1. */
export function stringEnd(bytes: Buffer, start: number, end: number): number {
  if (start >= end || bytes[start] !== quote) return -1;
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === quote) return at + 1;
    if (byte === backslash) at++;
  }
  return -1;
}

function isText(bytes: Buffer, start: number, end: number, text: string): boolean {
  if (text.length !== end - start) return false;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) !== bytes[start + index]) return false;
  }
  return true;
}

/** A JSON string with its quotes; unescaped control characters are accepted as they are. */
function decodeString(bytes: Buffer, start: number, end: number): string | undefined {
  const text = bytes.toString("utf8", start, end);
  if (!text.includes("\\")) return text.slice(1, -1);
  try {
    const escaped = text.replace(/\p{Cc}/gu, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
    return JSON.parse(escaped) as string;
  } catch {
    return undefined;
  }
}
