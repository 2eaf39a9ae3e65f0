import type { Exemplar } from "../../series/exemplar.ts";
import type { EncodedSeries, Label, SampleBuffer } from "../../series/series.ts";
import { compressBody } from "./compression.ts";
import { exemplarsRefField, maxExemplarsRefBytes } from "./exemplars-field.ts";
import type { CapacityListener, EncodedRequest, RequestBuilder } from "./request.ts";
import { maxSamplesBytes, usualSampleFieldBytes, writeHistograms, writeSamples } from "./samples-field.ts";
import { noScratch, releaseScratch, reserveScratch } from "./scratch.ts";
import { maxRefBytes, SymbolTable } from "./symbol-table.ts";
import { closeMessage, varintSize, writeVarint } from "./wire.ts";

/** Values of `Metadata.MetricType`. */
export const metricTypes = {
  unknown: 0,
  counter: 1,
  gauge: 2,
  histogram: 3,
  gaugehistogram: 4,
  summary: 5,
  info: 6,
  stateset: 7,
} as const;

export type MetricType = keyof typeof metricTypes;

/** A store's metadata about a metric. */
export interface MetricMetadata {
  readonly type: MetricType;
  readonly help: string;
  readonly unit: string;
}

/**
 * Finds a metric's metadata by its name; undefined if there is none. Called for each series: it must be
 * cheap.
 */
export type MetadataLookup = (metricName: string) => MetricMetadata | undefined;

const timeSeriesTag = 0x2a;
const labelRefsTag = 0x0a;
const histogramsTag = 0x1a;
const metadataTag = 0x2a;
const typeTag = 0x08;
const helpTag = 0x18;
const unitTag = 0x20;
/** Type, and two references with their tags. */
const maxMetadataBytes = 2 + 6 + 6;

/**
 * Builds `io.prometheus.write.v2.Request` bodies. Symbols are collected while the series are written, but
 * precede them in the body: both are written to separate buffers and joined at the end.
 *
 * Start timestamps are omitted (0: unknown): the supported stores do not have them.
 */
export class WriteRequestV2Builder implements RequestBuilder {
  readonly #metadataOf: MetadataLookup | undefined;
  readonly #onCapacity: CapacityListener | undefined;
  readonly #symbols: SymbolTable;
  #out: Buffer = noScratch;
  #at = 0;
  #sampleCount = 0;
  #weight = 0;
  #seriesCount = 0;
  #minMs = Infinity;
  #maxMs = -Infinity;
  #hasExemplars = false;

  constructor(metadataOf?: MetadataLookup, onCapacity?: CapacityListener) {
    this.#metadataOf = metadataOf;
    this.#onCapacity = onCapacity;
    this.#symbols = new SymbolTable(onCapacity);
  }

  get sampleCount(): number {
    return this.#sampleCount;
  }

  get weight(): number {
    return this.#weight;
  }

  get seriesCount(): number {
    return this.#seriesCount;
  }

  get byteLength(): number {
    return this.#symbols.byteLength + this.#at;
  }

  get minMs(): number {
    return this.#minMs;
  }

  get maxMs(): number {
    return this.#maxMs;
  }

  append(
    encoded: EncodedSeries,
    samples: SampleBuffer,
    start: number,
    end: number,
    exemplars?: readonly Exemplar[],
  ): void {
    if (end <= start) return;
    const labels = encoded.sentLabels;
    if (labels === undefined) throw new TypeError("the series was not encoded for remote write 2.0");
    const count = end - start;
    const samplesBytes = maxSamplesBytes(samples, start, end);
    const exemplarsBytes = exemplars === undefined ? 0 : maxExemplarsRefBytes(exemplars);
    const mostBytes = 16 + labels.length * 2 * maxRefBytes + samplesBytes + exemplarsBytes + maxMetadataBytes;
    this.#reserve(6 + mostBytes);
    const out = this.#out;
    const headerAt = this.#at;
    out[headerAt] = timeSeriesTag;
    const usualBytes = 2 + labels.length * 4 + count * usualSampleFieldBytes;
    const contentAt = headerAt + 1 + varintSize(usualBytes);
    let at = this.#writeRefs(labels, contentAt);
    at =
      samples.histograms === undefined
        ? writeSamples(out, at, samples, start, end)
        : writeHistograms(out, at, histogramsTag, samples, start, end);
    if (exemplars !== undefined) {
      const field = exemplarsRefField(exemplars, this.#symbols);
      out.set(field, at);
      at += field.length;
      this.#hasExemplars ||= field.length > 0;
    }
    if (this.#metadataOf !== undefined) at = this.#writeMetadata(encoded, at);
    this.#at = closeMessage(out, headerAt + 1, contentAt, at);

    this.#seriesCount++;
    this.#sampleCount += count;
    this.#weight += samples.weight(start, end);
    const firstMs = samples.timestampsMs[start] ?? 0;
    const lastMs = samples.timestampsMs[end - 1] ?? 0;
    if (firstMs < this.#minMs) this.#minMs = firstMs;
    if (lastMs > this.#maxMs) this.#maxMs = lastMs;
  }

  finish(): EncodedRequest {
    const body = Buffer.concat([this.#symbols.bytes(), this.#out.subarray(0, this.#at)]);
    const request: EncodedRequest = {
      ...compressBody(body),
      protocol: "2.0",
      sampleCount: this.#sampleCount,
      seriesCount: this.#seriesCount,
      uncompressedBytes: body.length,
      minMs: this.#minMs,
      maxMs: this.#maxMs,
      ...(this.#hasExemplars && { hasExemplars: true }),
    };
    this.reset();
    return request;
  }

  reset(): void {
    this.#symbols.reset();
    this.#out = releaseScratch(this.#out, this.#onCapacity);
    this.#at = 0;
    this.#sampleCount = 0;
    this.#weight = 0;
    this.#seriesCount = 0;
    this.#minMs = Infinity;
    this.#maxMs = -Infinity;
    this.#hasExemplars = false;
  }

  #writeRefs(labels: readonly Label[], offset: number): number {
    const out = this.#out;
    const symbols = this.#symbols;
    out[offset] = labelRefsTag;
    let at = offset + 2;
    for (const { name, value } of labels) {
      at = writeVarint(out, symbols.ref(name), at);
      at = writeVarint(out, symbols.ref(value), at);
    }
    return closeMessage(out, offset + 1, offset + 2, at);
  }

  #writeMetadata({ sentLabels, relabelled }: EncodedSeries, offset: number): number {
    const name = relabelled?.storeName ?? sentLabels?.find((label) => label.name === "__name__")?.value;
    const metadata = name === undefined ? undefined : this.#metadataOf?.(name);
    if (metadata === undefined) return offset;
    const out = this.#out;
    const contentAt = offset + 2;
    let at = contentAt;
    at = writeNumber(out, typeTag, metricTypes[metadata.type], at);
    at = writeNumber(out, helpTag, this.#symbols.ref(metadata.help), at);
    at = writeNumber(out, unitTag, this.#symbols.ref(metadata.unit), at);
    if (at === contentAt) return offset;
    out[offset] = metadataTag;
    return closeMessage(out, offset + 1, contentAt, at);
  }

  #reserve(bytes: number): void {
    this.#out = reserveScratch(this.#out, this.#at, this.#at + bytes, this.#onCapacity);
  }
}

/** A field with a number; 0 is omitted, as proto3 requires. */
function writeNumber(out: Buffer, tag: number, value: number, offset: number): number {
  if (value === 0) return offset;
  out[offset] = tag;
  return writeVarint(out, value, offset + 1);
}
