import type { Exemplar } from "../../series/exemplar.ts";
import { copySpan } from "../../series/label-blocks.ts";
import type { EncodedSeries, SampleBuffer } from "../../series/series.ts";
import { compressBody } from "./compression.ts";
import { exemplarsField } from "./exemplars-field.ts";
import type { CapacityListener, EncodedRequest, RequestBuilder } from "./request.ts";
import { maxSamplesBytes, usualSampleFieldBytes, writeHistograms, writeSamples } from "./samples-field.ts";
import { noScratch, releaseScratch, reserveScratch } from "./scratch.ts";
import { closeMessage, varintSize } from "./wire.ts";

const timeSeriesTag = 0x0a;
const histogramsTag = 0x22;
const noView = new DataView(noScratch.buffer, noScratch.byteOffset, 0);

/**
 * Builds `prometheus.WriteRequest` bodies (remote write 1.0). Holds memory only while it contains a series.
 *
 * For speed (bench/encode.bench.ts), labels are copied as one block that was encoded when the series was
 * first seen, and a length is written after its content, into a gap that fits all but rare sizes.
 */
export class WriteRequestBuilder implements RequestBuilder {
  readonly #onCapacity: CapacityListener | undefined;
  readonly #compression: () => "zstd" | undefined;
  #out: Buffer = noScratch;
  /** View of the same memory. */
  #view: DataView = noView;
  #at = 0;
  #sampleCount = 0;
  #weight = 0;
  #seriesCount = 0;
  #minMs = Infinity;
  #maxMs = -Infinity;
  #hasExemplars = false;

  /** @param compression of the next body: what its receiver takes; snappy if absent */
  constructor(onCapacity?: CapacityListener, compression: () => "zstd" | undefined = () => undefined) {
    this.#onCapacity = onCapacity;
    this.#compression = compression;
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
    return this.#at;
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
    const blockBytes = encoded.end - encoded.start;
    const exemplarBytes = exemplars === undefined ? noScratch : exemplarsField(exemplars);
    const mostBytes = blockBytes + maxSamplesBytes(samples, start, end) + exemplarBytes.length;
    this.#reserve(1 + varintSize(mostBytes) + mostBytes);
    const out = this.#out;
    const headerAt = this.#at;
    out[headerAt] = timeSeriesTag;
    // The length is known only after the content. The gap fits the usual size; otherwise the content moves.
    const usualBytes = blockBytes + (end - start) * usualSampleFieldBytes;
    const contentAt = headerAt + 1 + varintSize(usualBytes);
    copySpan(encoded, this.#view, contentAt);
    const samplesAt = contentAt + blockBytes;
    // Samples, exemplars, histograms: the order of the fields' numbers.
    let at = samplesAt;
    if (samples.histograms === undefined) at = writeSamples(out, at, samples, start, end);
    if (exemplars !== undefined) {
      out.set(exemplarBytes, at);
      at += exemplarBytes.length;
      this.#hasExemplars ||= exemplarBytes.length > 0;
    }
    if (samples.histograms !== undefined) at = writeHistograms(out, at, histogramsTag, samples, start, end);
    this.#at = closeMessage(out, headerAt + 1, contentAt, at);

    this.#seriesCount++;
    this.#sampleCount += end - start;
    this.#weight += samples.weight(start, end);
    // Samples are in time order: the first and last are the extremes.
    const firstMs = samples.timestampsMs[start] ?? 0;
    const lastMs = samples.timestampsMs[end - 1] ?? 0;
    if (firstMs < this.#minMs) this.#minMs = firstMs;
    if (lastMs > this.#maxMs) this.#maxMs = lastMs;
  }

  finish(): EncodedRequest {
    const body = this.#out.subarray(0, this.#at);
    const request: EncodedRequest = {
      ...compressBody(body, this.#compression()),
      protocol: "1.0",
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
    this.#out = releaseScratch(this.#out, this.#onCapacity);
    this.#view = noView;
    this.#at = 0;
    this.#sampleCount = 0;
    this.#weight = 0;
    this.#seriesCount = 0;
    this.#minMs = Infinity;
    this.#maxMs = -Infinity;
    this.#hasExemplars = false;
  }

  #reserve(bytes: number): void {
    const out = reserveScratch(this.#out, this.#at, this.#at + bytes, this.#onCapacity);
    if (out === this.#out) return;
    this.#out = out;
    this.#view = new DataView(out.buffer, out.byteOffset, out.length);
  }
}
