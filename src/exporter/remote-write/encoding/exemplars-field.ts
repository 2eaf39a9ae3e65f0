import type { Exemplar } from "../../series/exemplar.ts";
import type { Label } from "../../series/series.ts";
import { legalLabels, sortedByName } from "./label-names.ts";
import { encodeLabels } from "./labels-field.ts";
import { labelRefsField, maxRefBytes, type SymbolTable } from "./symbol-table.ts";
import { int64Size, varintSize, type WireReader, writeInt64, writeVarint } from "./wire.ts";

/** The field `exemplars` of a `TimeSeries`: number 3 in remote write 1.0, number 4 in 2.0. */
const tags = { "1.0": 0x1a, "2.0": 0x22 } as const;
/** Fields of `Exemplar`, equal in both: value (double, 2), timestamp (int64, 3). */
const valueTag = 0x11;
const timestampTag = 0x18;
const maxNumbersBytes = 9 + 11;
/** Tag and length, of the exemplar or of its references. */
const maxHeadBytes = 6;

/** The exemplars as a field of a 1.0 `TimeSeries`. */
export function exemplarsField(exemplars: readonly Exemplar[]): Buffer {
  return encodeExemplars(tags["1.0"], exemplars, (labels) => encodeLabels(sortedByName(labels)));
}

/** The exemplars with legal names of labels, without those of which two names become equal. */
export function withLegalExemplars(exemplars: readonly Exemplar[]): readonly Exemplar[] {
  return exemplars.flatMap((exemplar) => {
    const labels = legalLabels(exemplar.labels);
    const isUnique = new Set(labels.map(({ name }) => name)).size === labels.length;
    return isUnique ? [{ ...exemplar, labels }] : [];
  });
}

/** The exemplars as a field of a 2.0 `TimeSeries`; adds their texts to the symbols. */
export function exemplarsRefField(exemplars: readonly Exemplar[], symbols: SymbolTable): Buffer {
  return encodeExemplars(tags["2.0"], exemplars, (labels) => labelRefsField(labels, symbols));
}

/** Most bytes of {@link exemplarsRefField}. */
export function maxExemplarsRefBytes(exemplars: readonly Exemplar[]): number {
  let bytes = 0;
  for (const { labels } of exemplars) {
    bytes += 2 * maxHeadBytes + labels.length * 2 * maxRefBytes + maxNumbersBytes;
  }
  return bytes;
}

/**
 * Reads one exemplar.
 *
 * @param readLabels decodes the field 1 of the message, which 1.0 repeats for each label
 * @throws RangeError for truncated bytes
 */
export function readExemplar(content: WireReader, readLabels: (content: WireReader) => Label[]): Exemplar {
  const labels: Label[] = [];
  let value = 0;
  let timestampMs = 0;
  while (!content.atEnd) {
    const tag = content.varint();
    if (tag === timestampTag) {
      timestampMs = content.int64();
      continue;
    }
    if (tag >>> 3 === 1) {
      labels.push(...readLabels(content.message()));
      continue;
    }
    if (tag === valueTag) value = content.bytes.readDoubleLE(content.offset);
    content.skip(tag & 7);
  }
  return { labels, value, timestampMs };
}

function encodeExemplars(
  tag: number,
  exemplars: readonly Exemplar[],
  encode: (labels: readonly Label[]) => Buffer | undefined,
): Buffer {
  const parts: Buffer[] = [];
  for (const { labels, value, timestampMs } of exemplars) {
    const block = encode(labels);
    if (block === undefined) continue;
    const numbers = numbersOf(value, timestampMs);
    const length = block.length + numbers.length;
    const head = Buffer.allocUnsafe(1 + varintSize(length));
    head[0] = tag;
    writeVarint(head, length, 1);
    parts.push(head, block, numbers);
  }
  return Buffer.concat(parts);
}

/** As proto3 requires, a value of +0 and a timestamp of 0 are omitted. */
function numbersOf(value: number, timestampMs: number): Buffer {
  const isZero = Object.is(value, 0);
  const valueBytes = isZero ? 0 : 9;
  const timestampBytes = timestampMs === 0 ? 0 : 1 + int64Size(timestampMs);
  const out = Buffer.allocUnsafe(valueBytes + timestampBytes);
  if (!isZero) {
    out[0] = valueTag;
    out.writeDoubleLE(value, 1);
  }
  if (timestampMs !== 0) {
    out[valueBytes] = timestampTag;
    writeInt64(out, timestampMs, valueBytes + 1);
  }
  return out;
}
