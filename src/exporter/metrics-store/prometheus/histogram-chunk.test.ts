import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  anyHistograms,
  anyLayout,
  encodeHistogram,
  encodeHistogramChunk,
  hints,
  messagesOf,
  staleBits,
  type TestHistogram,
  type TestLayout,
} from "../../../../test/support/store/histograms.ts";
import { EncodedHistograms } from "../../series/encoded-histograms.ts";
import { SampleBuffer } from "../../series/series.ts";
import { HistogramChunkDecoder } from "./histogram-chunk.ts";
import { MalformedMessage } from "./message-cursor.ts";

interface Decoded {
  readonly timestampMs: number;
  readonly isStale: boolean;
  readonly bytes: string;
}

const always = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

/** Decodes a chunk within larger bytes, like a frame's, with `behind` bytes after it. */
function decodeWith(decoder: HistogramChunkDecoder, chunk: Buffer, window = always, behind = 3): Decoded[] {
  const samples = new SampleBuffer(new EncodedHistograms());
  const bytes = Buffer.concat([Buffer.alloc(5, 0xff), chunk, Buffer.alloc(behind, 0xff)]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  decoder.decode(bytes, view, 5, 5 + chunk.length, samples, window);
  return messagesOf(samples).map((message, index) => ({
    timestampMs: samples.timestampsMs[index] as number,
    isStale: samples.isStale(index),
    bytes: message.toString("hex"),
  }));
}

function expected(layout: TestLayout, histograms: readonly TestHistogram[], isGauge: boolean): Decoded[] {
  return histograms.map((histogram, index) => {
    const hint = isGauge ? hints.gauge : index === 0 ? hints.unknown : hints.no;
    return {
      timestampMs: histogram.timestampMs,
      isStale: histogram.sumBits === staleBits,
      bytes: encodeHistogram(layout, histogram, hint).toString("hex"),
    };
  });
}

const anyChunk = (kind: TestHistogram["kind"]) =>
  anyLayout.chain((layout) => fc.tuple(fc.constant(layout), anyHistograms(layout, kind)));

describe.each([
  ["integer", false],
  ["integer", true],
  ["float", false],
  ["float", true],
] as const)("%s histograms, start timestamps: %j", (kind, hasStarts) => {
  test("any are decoded to what the generated code writes, byte for byte", () => {
    const decoder = new HistogramChunkDecoder(kind, hasStarts);
    fc.assert(
      fc.property(
        anyChunk(kind),
        fc.boolean(),
        fc.constantFrom(0, 100),
        ([layout, list], isGauge, behind) => {
          const chunk = encodeHistogramChunk(layout, list, { isGauge, hasStarts });
          expect(decodeWith(decoder, chunk, always, behind)).toEqual(expected(layout, list, isGauge));
        },
      ),
      { numRuns: 300 },
    );
  });

  test("only those in the window are passed on", () => {
    fc.assert(
      fc.property(anyChunk(kind), fc.nat(20), fc.nat(20), ([layout, list], from, to) => {
        const window = {
          fromMs: list[Math.min(from, list.length - 1)]?.timestampMs ?? 0,
          toMs: list[Math.min(to, list.length - 1)]?.timestampMs ?? 0,
        };
        const inWindow = expected(layout, list, false).filter(
          ({ timestampMs }) => timestampMs > window.fromMs && timestampMs <= window.toMs,
        );
        const chunk = encodeHistogramChunk(layout, list, { hasStarts });
        expect(decodeWith(new HistogramChunkDecoder(kind, hasStarts), chunk, window)).toEqual(inWindow);
      }),
    );
  });

  test("a chunk that is cut off is malformed, and nothing else is thrown for any bytes", () => {
    const decoder = new HistogramChunkDecoder(kind, hasStarts);
    fc.assert(
      fc.property(anyChunk(kind), fc.nat(), fc.nat(), fc.nat(255), ([layout, list], cut, at, byte) => {
        const whole = encodeHistogramChunk(layout, list, { hasStarts });
        const cutOff = whole.subarray(0, cut % (whole.length - 1));
        for (const behind of [0, 100]) {
          // Without its count, or without its last byte: some bits of the last histogram are missing.
          if (list.length > 0)
            expect(() => decodeWith(decoder, cutOff, always, behind)).toThrow(MalformedMessage);
        }
        const changed = Buffer.from(whole);
        changed[at % changed.length] = byte;
        try {
          decodeWith(decoder, changed);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("a hostile chunk", () => {
  const plain: TestLayout = {
    schema: 0,
    zeroThreshold: 0,
    positiveSpans: [],
    negativeSpans: [],
    customValues: [],
  };
  const empty: TestHistogram = {
    ...{ kind: "integer", count: 0n, zeroCount: 0n, positive: [], negative: [], sumBits: 0n },
    timestampMs: 1,
  };

  test("whose spans have more buckets than it has bits", () => {
    const layout = { ...plain, positiveSpans: [{ offset: 0, length: 2 ** 31 - 1 }] };
    const chunk = encodeHistogramChunk(layout, [empty]);
    expect(() => decodeWith(new HistogramChunkDecoder("integer", false), chunk)).toThrow(MalformedMessage);
    expect(() => decodeWith(new HistogramChunkDecoder("float", false), chunk)).toThrow(MalformedMessage);
  });

  test("that would become very many bytes", () => {
    const spans = Array.from({ length: 50_000 }, () => ({ offset: -(2 ** 31), length: 0 }));
    const list = Array.from({ length: 5_000 }, (_, index) => ({ ...empty, timestampMs: index }));
    const chunk = encodeHistogramChunk({ ...plain, positiveSpans: spans }, list);
    expect(() => decodeWith(new HistogramChunkDecoder("integer", false), chunk)).toThrow(
      /more than 33554432 bytes/,
    );
  });
});
