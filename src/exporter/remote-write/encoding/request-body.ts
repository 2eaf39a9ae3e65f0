import { customBucketsSchema, histogramFields } from "../../series/encoded-histograms.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import type { Label } from "../../series/series.ts";
import { compressBody, uncompressBody } from "./compression.ts";
import { exemplarsField, exemplarsRefField, readExemplar } from "./exemplars-field.ts";
import type { Protocol } from "./labels.ts";
import { encodeLabels } from "./labels-field.ts";
import type { EncodedRequest } from "./request.ts";
import { labelRefsField, SymbolTable } from "./symbol-table.ts";
import { varintSize, WireReader, writeVarint } from "./wire.ts";

/**
 * A decoded request body that can be encoded again, for rare operations: splitting, sending in another
 * protocol, showing. Samples remain encoded, since both protocols encode their content identically.
 */
export interface BodySeries {
  readonly labels: readonly Label[];
  readonly samples: readonly BodySample[];
  readonly exemplars: readonly Exemplar[];
}

/** A series being read. */
interface SeriesParts extends BodySeries {
  readonly labels: Label[];
  readonly samples: BodySample[];
  readonly exemplars: Exemplar[];
}

interface BodySample {
  readonly kind: "number" | "histogram";
  /** The message: `Sample` or `Histogram`, without the field's tag and length. */
  readonly message: Buffer;
  /** Unix epoch, ms. */
  readonly timestampMs: number;
}

/** Field numbers of the messages; see proto/. */
const fields = {
  "1.0": { series: 1, labels: 1, samples: 2, exemplars: 3, histograms: 4 },
  "2.0": { series: 5, labels: 1, samples: 2, histograms: 3, exemplars: 4, symbols: 4 },
} as const;
const fixed64 = 1;
const valueTag = 0x09;
const timestampFields = { number: 2, histogram: histogramFields.timestamp } as const;
const lengthDelimited = 2;
const schemaTag = histogramFields.schema << 3;
/** As sint32. */
const customBucketsVarint = -2 * customBucketsSchema - 1;

/**
 * @throws RangeError when the body is not a complete message of its protocol, Error when it is not compressed
 * as the request says
 */
export function readBody(
  request: Pick<EncodedRequest, "payload" | "protocol" | "compression">,
): BodySeries[] {
  const body = uncompressBody(request);
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
    ...compressBody(body),
    protocol,
    sampleCount,
    seriesCount: series.length,
    uncompressedBytes: body.length,
    minMs,
    maxMs,
    ...(series.some(({ exemplars }) => exemplars.length > 0) && { hasExemplars: true }),
  };
}

/** The same request without exemplars. */
export function withoutExemplars(request: EncodedRequest): EncodedRequest {
  const series = readBody(request).map((one) => ({ ...one, exemplars: [] }));
  return writeBody(request.protocol, series);
}

/** A sample's value for people: a number (a NaN may lose its bits here), or what a histogram holds. */
export function describeSample({ kind, message }: BodySample): string {
  const { countInt, countFloat, sum, schema } = histogramFields;
  const found = { count: 0, sum: 0, schema: 0, value: 0 };
  const content = new WireReader(message);
  while (!content.atEnd) {
    const tag = content.varint();
    const { bytes, offset } = content;
    if (kind === "number" && tag === valueTag) found.value = bytes.readDoubleLE(offset);
    else if (kind === "histogram") {
      if (tag === countInt * 8) found.count = new WireReader(bytes, offset).varint();
      else if (tag === countFloat * 8 + fixed64) found.count = bytes.readDoubleLE(offset);
      else if (tag === sum * 8 + fixed64) found.sum = bytes.readDoubleLE(offset);
      else if (tag === schema * 8) found.schema = fromZigzag(new WireReader(bytes, offset).varint());
    }
    content.skip(tag & 7);
  }
  if (kind === "number") return String(found.value);
  return `histogram{count: ${found.count}, sum: ${found.sum}, schema: ${found.schema}}`;
}

/** Whether a histogram has custom buckets, which protocol 1.0 does not have. */
export function hasCustomBuckets({ kind, message }: BodySample): boolean {
  if (kind !== "histogram") return false;
  const content = new WireReader(message);
  while (!content.atEnd) {
    const tag = content.varint();
    if (tag === schemaTag) return content.varint() === customBucketsVarint;
    content.skip(tag & 7);
  }
  return false;
}

function readVersion1(body: Buffer): BodySeries[] {
  const { series, labels, exemplars } = fields["1.0"];
  const found: BodySeries[] = [];
  for (const { number, content } of messagesOf(new WireReader(body))) {
    if (number !== series) continue;
    const own: SeriesParts = { labels: [], samples: [], exemplars: [] };
    for (const field of messagesOf(content)) {
      if (field.number === labels) own.labels.push(readLabel(field.content));
      else if (field.number === exemplars) {
        own.exemplars.push(readExemplar(field.content, (label) => [readLabel(label)]));
      } else pushSample(own.samples, "1.0", field);
    }
    found.push(own);
  }
  return found;
}

function readVersion2(body: Buffer): BodySeries[] {
  const { series, labels, exemplars, symbols } = fields["2.0"];
  const table: string[] = [];
  const labelsOf = (refs: WireReader) => readLabelRefs(refs, table);
  const found: BodySeries[] = [];
  for (const { number, content } of messagesOf(new WireReader(body))) {
    if (number === symbols) table.push(textOf(content));
    if (number !== series) continue;
    const own: SeriesParts = { labels: [], samples: [], exemplars: [] };
    for (const field of messagesOf(content)) {
      if (field.number === labels) own.labels.push(...labelsOf(field.content));
      else if (field.number === exemplars) own.exemplars.push(readExemplar(field.content, labelsOf));
      else pushSample(own.samples, "2.0", field);
    }
    found.push(own);
  }
  return found;
}

interface MessageField {
  readonly number: number;
  readonly content: WireReader;
}

/** The length-delimited fields of a message; others are skipped. */
function* messagesOf(reader: WireReader): Generator<MessageField> {
  while (!reader.atEnd) {
    const tag = reader.varint();
    if ((tag & 7) === lengthDelimited) yield { number: tag >>> 3, content: reader.message() };
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

function readLabelRefs(refs: WireReader, table: readonly string[]): Label[] {
  const labels: Label[] = [];
  while (!refs.atEnd) {
    const name = table[refs.varint()];
    const value = table[refs.varint()];
    if (name === undefined || value === undefined) throw new RangeError("a label refers to no symbol");
    labels.push({ name, value });
  }
  return labels;
}

function textOf(content: WireReader): string {
  return content.bytes.toString("utf8", content.offset, content.end);
}

/** Adds the field's sample, if it is one. */
function pushSample(to: BodySample[], protocol: Protocol, { number, content }: MessageField): void {
  const { samples, histograms } = fields[protocol];
  if (number !== samples && number !== histograms) return;
  const kind = number === samples ? "number" : "histogram";
  const message = content.bytes.subarray(content.offset, content.end);
  let timestampMs = 0;
  while (!content.atEnd) {
    const tag = content.varint();
    if (tag >>> 3 === timestampFields[kind]) timestampMs = content.int64();
    else content.skip(tag & 7);
  }
  to.push({ kind, message, timestampMs });
}

function pushSamples(out: Buffer[], protocol: Protocol, list: readonly BodySample[]): void {
  const { samples, histograms } = fields[protocol];
  for (const { kind, message } of list) {
    pushMessage(out, kind === "number" ? samples : histograms, [message]);
  }
}

function writeVersion1(list: readonly BodySeries[]): Buffer {
  const parts: Buffer[] = [];
  for (const { labels, samples, exemplars } of list) {
    const block = encodeLabels(labels);
    if (block === undefined) throw new RangeError("a label is not valid UTF-8");
    const content = [block];
    pushSamples(content, "1.0", samples.filter(isNumber));
    content.push(exemplarsField(exemplars));
    pushSamples(
      content,
      "1.0",
      samples.filter((sample) => !isNumber(sample)),
    );
    pushMessage(parts, fields["1.0"].series, content);
  }
  return Buffer.concat(parts);
}

function writeVersion2(list: readonly BodySeries[]): Buffer {
  const table = new SymbolTable();
  const parts: Buffer[] = [];
  for (const { labels, samples, exemplars } of list) {
    const content = [labelRefsField(labels, table)];
    pushSamples(content, "2.0", samples);
    content.push(exemplarsRefField(exemplars, table));
    pushMessage(parts, fields["2.0"].series, content);
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

function isNumber({ kind }: BodySample): boolean {
  return kind === "number";
}

function fromZigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
