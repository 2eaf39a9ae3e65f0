import type { Label } from "../../series/series.ts";
import { hasLoneSurrogate } from "./label-names.ts";
import { closeMessage, maxTextBytes, varintSize, writeText } from "./wire.ts";

const labelsTag = 0x0a;
const nameTag = 0x0a;
const valueTag = 0x12;

let scratch = Buffer.allocUnsafeSlow(16 * 1024);

/**
 * Encodes the field `labels` (number 1) of a 1.0 `TimeSeries` for all labels: name (string, 1) and value
 * (string, 2).
 *
 * @returns undefined when a text cannot be encoded as UTF-8 (an unpaired surrogate)
 */
export function encodeLabels(labels: readonly Label[]): Buffer | undefined {
  reserveScratch(labels);
  let at = 0;
  for (const { name, value } of labels) {
    scratch[at] = labelsTag;
    // Reserves one byte for the length: most labels are shorter than 128 bytes, longer ones are moved.
    scratch[at + 2] = nameTag;
    const nameEnd = writeText(scratch, name, at + 3);
    scratch[nameEnd] = valueTag;
    const valueEnd = writeText(scratch, value, nameEnd + 1);
    // If the encoded text is longer than its code units, it is not ASCII, and may be invalid Unicode.
    const isAscii =
      valueEnd - at ===
      3 + varintSize(name.length) + name.length + 1 + varintSize(value.length) + value.length;
    if (!isAscii && (hasLoneSurrogate(name) || hasLoneSurrogate(value))) return undefined;
    at = closeMessage(scratch, at + 1, at + 2, valueEnd);
  }
  const block = Buffer.allocUnsafe(at);
  block.set(scratch.subarray(0, at));
  return block;
}

function reserveScratch(labels: readonly Label[]): void {
  let size = 0;
  for (const { name, value } of labels) size += 8 + maxTextBytes(name) + maxTextBytes(value);
  if (size > scratch.length) scratch = Buffer.allocUnsafeSlow(size * 2);
}
