import type { SampleBuffer } from "../../series/series.ts";
import { skipSpace, stringEnd } from "../samples/metric-labels.ts";
import { scanTimestamp, scanValue } from "./sample-numbers.ts";

/** A line that differs from VictoriaMetrics' usual format. */
type UncommonLine =
  | { readonly kind: "empty" }
  /** The samples are in the buffer, in received order; the metric object is at these positions. */
  | { readonly kind: "series"; readonly metricStart: number; readonly metricEnd: number }
  /** Not a series: the store's error message. */
  | { readonly kind: "error"; readonly text: string }
  | { readonly kind: "malformed" };

/**
 * Parses the line at `start` to `end` (exclusive, without its newline) as a JSON object with the keys
 * `metric`, `values` and `timestamps` in any order, with any white space; other keys are skipped.
 */
export function parseUncommonLine(
  bytes: Buffer,
  start: number,
  end: number,
  samples: SampleBuffer,
): UncommonLine {
  let at = skipSpace(bytes, start, end);
  if (at === end) return { kind: "empty" };
  if (bytes[at] !== 123) return { kind: "error", text: bytes.toString("utf8", start, end) };
  const spans = new Map<string, readonly [start: number, end: number]>();
  do {
    const keyStart = skipSpace(bytes, at + 1, end);
    const keyEnd = stringEnd(bytes, keyStart, end);
    if (keyEnd === -1) return malformed;
    const colon = skipSpace(bytes, keyEnd, end);
    if (bytes[colon] !== 58) return malformed;
    const valueStart = skipSpace(bytes, colon + 1, end);
    const valueEnd = jsonValueEnd(bytes, valueStart, end);
    if (valueEnd === -1) return malformed;
    spans.set(bytes.toString("utf8", keyStart + 1, keyEnd - 1), [valueStart, valueEnd]);
    at = skipSpace(bytes, valueEnd, end);
  } while (bytes[at] === 44);
  if (bytes[at] !== 125 || skipSpace(bytes, at + 1, end) !== end) return malformed;

  const metric = spans.get("metric");
  const values = spans.get("values");
  const timestamps = spans.get("timestamps");
  if (metric === undefined && (spans.has("error") || spans.has("status"))) {
    return { kind: "error", text: bytes.toString("utf8", start, end) };
  }
  if (metric === undefined || values === undefined || timestamps === undefined) return malformed;
  const count = scanArray(bytes, values, samples, scanValue);
  if (count === -1 || scanArray(bytes, timestamps, samples, scanTimestamp) !== count) return malformed;
  samples.length = count;
  return { kind: "series", metricStart: metric[0], metricEnd: metric[1] };
}

const malformed: UncommonLine = { kind: "malformed" };

/** @returns the number of items, or -1 when it is not an array of them */
function scanArray(
  bytes: Buffer,
  [start, end]: readonly [number, number],
  samples: SampleBuffer,
  scanItem: (bytes: Buffer, at: number, samples: SampleBuffer, index: number) => number,
): number {
  if (bytes[start] !== 91) return -1;
  let at = skipSpace(bytes, start + 1, end);
  if (bytes[at] === 93) return 0;
  for (let count = 0; ; ) {
    samples.reserve(count + 1);
    at = scanItem(bytes, at, samples, count);
    if (at === -1) return -1;
    count++;
    at = skipSpace(bytes, at, end);
    if (bytes[at] === 93) return at + 1 === end ? count : -1;
    if (bytes[at] !== 44) return -1;
    at = skipSpace(bytes, at + 1, end);
  }
}

/** The position after the JSON value that begins at `start`, or -1. Checks only brackets and quotes. */
function jsonValueEnd(bytes: Buffer, start: number, end: number): number {
  let depth = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === 34) {
      at = stringEnd(bytes, at, end) - 1;
      if (at < 0) return -1;
      if (depth === 0) return at + 1;
    } else if (byte === 123 || byte === 91) {
      depth++;
    } else if (byte === 125 || byte === 93) {
      if (depth === 0) return at > start ? at : -1;
      if (--depth === 0) return at + 1;
    } else if (byte === 44 && depth === 0) {
      return at > start ? at : -1;
    }
  }
  return -1;
}
