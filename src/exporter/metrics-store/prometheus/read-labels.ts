import { isUtf8 } from "node:buffer";
import type { Label } from "../../series/series.ts";
import {
  beyondLimits,
  type InvalidLabels,
  type LabelInterner,
  type LabelLimits,
  type MetricLabels,
  sortLabels,
} from "../samples/metric-labels.ts";
import { MalformedMessage, MessageCursor, wireTypes } from "./message-cursor.ts";

/** The field `labels` of proto/remote-read.proto's TimeSeries and ChunkedSeries. */
export const labelsField = 1;

/**
 * Parses the labels of a series from a remote read: the `labels` fields of its message, one after another.
 *
 * @returns undefined when the bytes are not such fields
 */
export function parseReadLabels(
  bytes: Buffer,
  start: number,
  end: number,
  limits: LabelLimits,
  interner: LabelInterner,
): MetricLabels | InvalidLabels | undefined {
  const labels: Label[] = [];
  let isText = true;
  let count = 0;
  try {
    const fields = new MessageCursor(bytes, start, end);
    while (fields.next()) {
      if (!fields.is(labelsField, wireTypes.bytes)) return undefined;
      let name: Span = nothing;
      let value: Span = nothing;
      const label = fields.message();
      while (label.next()) {
        if (label.is(1, wireTypes.bytes)) name = { start: label.start, end: label.end };
        else if (label.is(2, wireTypes.bytes)) value = { start: label.start, end: label.end };
      }
      const longest = Math.max(name.end - name.start, value.end - value.start);
      const invalid = beyondLimits(++count, longest, limits);
      if (invalid !== undefined) return invalid;
      if (value.start === value.end) continue;
      const read = interner.bareLabel(bytes, name.start, name.end, value.start, value.end);
      // Invalid UTF-8 decodes to U+FFFD, but so does an encoded U+FFFD.
      if (read.name.includes("\uFFFD")) isText &&= isUtf8(bytes.subarray(name.start, name.end));
      if (read.value.includes("\uFFFD")) isText &&= isUtf8(bytes.subarray(value.start, value.end));
      labels.push(read);
    }
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
  return sortLabels(labels) ?? { kind: "labels", labels, isUtf8: isText };
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const nothing: Span = { start: 0, end: 0 };
