import { compressSync, uncompressSync } from "snappy";
import type { Label } from "../../series/series.ts";
import type { Protocol } from "./labels.ts";
import { encodeLabels } from "./labels-field.ts";
import type { EncodedRequest } from "./request.ts";
import { SymbolTable } from "./symbol-table.ts";
import { varintSize, WireReader, writeVarint } from "./wire.ts";

/**
 * A decoded request body that can be encoded again, for rare operations: splitting, sending in another
 * protocol, showing. Samples remain encoded, since both protocols encode them identically.
 */
export interface BodySeries {
  readonly labels: readonly Label[];
  readonly samples: readonly BodySample[];
}

export interface BodySample {
  /** The whole field, including tag and length. */
  readonly field: Buffer;
  /** Unix epoch, ms. */
  readonly timestampMs: number;
}

/** Field numbers of the messages; see proto/. */
const fields = {
  "1.0": { series: 1, labels: 1, samples: 2 },
  "2.0": { series: 5, labels: 1, samples: 2, symbols: 4 },
} as const;
const valueTag = 0x09;
const timestampField = 2;
const lengthDelimited = 2;

/**
 * @throws RangeError when the body is not a complete message of its protocol, Error when it is invalid snappy
 */
export function readBody(request: Pick<EncodedRequest, "payload" | "protocol">): BodySeries[] {
  const body = uncompressSync(request.payload, { asBuffer: true }) as Buffer;
  return request.protocol === "1.0" ? readVersion1(body) : readVersion2(body);
}

/** Series with labels that are not valid UTF-8 cannot occur here: they never enter a request. */
export function writeBody(protocol: Protocol, series: readonly BodySeries[]): EncodedRequest {
  const body = protocol === "1.0" ? writeVersion1(series) : writeVersion2(series);
  let sampleCount = 0;
  let minMs = Infinity;
  let maxMs = -Infinity;
  for (const { samples } of series) {
    sampleCount += samples.length;
    for (const { timestampMs } of samples) {
      minMs = Math.min(minMs, timestampMs);
      maxMs = Math.max(maxMs, timestampMs);
    }
  }
  return {
    payload: compressSync(body, { copyOutputData: true }),
    protocol,
    sampleCount,
    seriesCount: series.length,
    uncompressedBytes: body.length,
    minMs,
    maxMs,
  };
}

/** The value of a sample, for display: a NaN may lose its bits here. */
export function sampleValue(sample: BodySample): number {
  const reader = new WireReader(sample.field);
  reader.varint();
  const content = reader.message();
  while (!content.atEnd) {
    const tag = content.varint();
    if (tag === valueTag) return content.bytes.readDoubleLE(content.offset);
    content.skip(tag & 7);
  }
  return 0;
}

function readVersion1(body: Buffer): BodySeries[] {
  const { series, labels, samples } = fields["1.0"];
  const found: BodySeries[] = [];
  for (const { number, content } of messagesOf(new WireReader(body))) {
    if (number !== series) continue;
    const own: { labels: Label[]; samples: BodySample[] } = { labels: [], samples: [] };
    for (const field of messagesOf(content)) {
      if (field.number === labels) own.labels.push(readLabel(field.content));
      else if (field.number === samples) own.samples.push(readSample(body, field));
    }
    found.push(own);
  }
  return found;
}

function readVersion2(body: Buffer): BodySeries[] {
  const { series, labels, samples, symbols } = fields["2.0"];
  const table: string[] = [];
  const found: BodySeries[] = [];
  for (const { number, content } of messagesOf(new WireReader(body))) {
    if (number === symbols) table.push(textOf(content));
    if (number !== series) continue;
    const own: { labels: Label[]; samples: BodySample[] } = { labels: [], samples: [] };
    for (const field of messagesOf(content)) {
      if (field.number === samples) own.samples.push(readSample(body, field));
      if (field.number !== labels) continue;
      while (!field.content.atEnd) {
        const name = table[field.content.varint()];
        const value = table[field.content.varint()];
        if (name === undefined || value === undefined) throw new RangeError("a label refers to no symbol");
        own.labels.push({ name, value });
      }
    }
    found.push(own);
  }
  return found;
}

interface MessageField {
  readonly number: number;
  readonly start: number;
  readonly content: WireReader;
}

/** The length-delimited fields of a message; others are skipped. */
function* messagesOf(reader: WireReader): Generator<MessageField> {
  while (!reader.atEnd) {
    const start = reader.offset;
    const tag = reader.varint();
    if ((tag & 7) === lengthDelimited) yield { number: tag >>> 3, start, content: reader.message() };
    else reader.skip(tag & 7);
  }
}

function readLabel(reader: WireReader): Label {
  let name = "";
  let value = "";
  for (const { number, content } of messagesOf(reader)) {
    if (number === 1) name = textOf(content);
    else if (number === 2) value = textOf(content);
  }
  return { name, value };
}

function textOf(content: WireReader): string {
  return content.bytes.toString("utf8", content.offset, content.end);
}

function readSample(body: Buffer, { start, content }: MessageField): BodySample {
  const field = body.subarray(start, content.end);
  let timestampMs = 0;
  while (!content.atEnd) {
    const tag = content.varint();
    if (tag >>> 3 === timestampField) timestampMs = content.int64();
    else content.skip(tag & 7);
  }
  return { field, timestampMs };
}

function writeVersion1(list: readonly BodySeries[]): Buffer {
  const parts: Buffer[] = [];
  for (const { labels, samples } of list) {
    const block = encodeLabels(labels);
    if (block === undefined) throw new RangeError("a label is not valid UTF-8");
    pushMessage(parts, fields["1.0"].series, [block, ...samples.map(({ field }) => field)]);
  }
  return Buffer.concat(parts);
}

function writeVersion2(list: readonly BodySeries[]): Buffer {
  const table = new SymbolTable();
  const parts: Buffer[] = [];
  for (const { labels, samples } of list) {
    const refs = labels.flatMap(({ name, value }) => [table.ref(name), table.ref(value)]);
    const packed = Buffer.alloc(refs.reduce((sum, ref) => sum + varintSize(ref), 0));
    let at = 0;
    for (const ref of refs) at = writeVarint(packed, ref, at);
    const content: Buffer[] = [];
    pushMessage(content, fields["2.0"].labels, [packed]);
    pushMessage(parts, fields["2.0"].series, [...content, ...samples.map(({ field }) => field)]);
  }
  return Buffer.concat([table.bytes(), ...parts]);
}

function pushMessage(out: Buffer[], number: number, content: readonly Buffer[]): void {
  const length = content.reduce((sum, part) => sum + part.length, 0);
  const header = Buffer.alloc(1 + varintSize(length));
  header[0] = (number << 3) | lengthDelimited;
  writeVarint(header, length, 1);
  out.push(header, ...content);
}
