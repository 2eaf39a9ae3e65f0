import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type BitSample, encodeXorChunk } from "../../test/support/xor-chunk.ts";
import { SampleBuffer } from "../core/series.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { XorChunkDecoder } from "./xor-chunk.ts";

function decode(bytes: Buffer, samples = new SampleBuffer(), decoder = new XorChunkDecoder()): BitSample[] {
  const before = samples.length;
  decoder.decode(bytes, 0, bytes.length, samples);
  return Array.from({ length: samples.length - before }, (_, index) => ({
    timestampMs: samples.timestampsMs[before + index] as number,
    bits: samples.valueBytes.readBigUInt64LE((before + index) * 8),
  }));
}

const staleNan = 0x7ff0000000000002n;

describe("whatever was encoded is decoded, bit for bit", () => {
  const bits = fc.oneof(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    fc.constantFrom(staleNan, 0x7ff8000000000001n, 0x7ff0000000000000n, 0xfff0000000000000n, 0n, 1n << 63n),
    fc.integer({ min: -1000, max: 1000 }).map((value) => {
      const buffer = Buffer.alloc(8);
      buffer.writeDoubleBE(value / 4);
      return buffer.readBigUInt64BE();
    }),
  );
  const deltaMs = fc.oneof(
    fc.constant(15_000),
    fc.integer({ min: 1, max: 20_000 }),
    fc.constantFrom(1, 8_191, 8_192, 8_193, 65_535, 65_536, 65_537, 524_287, 524_288, 524_289, 2 ** 33),
  );

  test("any times and values", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
        fc.array(fc.tuple(deltaMs, bits), { maxLength: 130 }),
        (startMs, steps) => {
          let timestampMs = startMs;
          const samples = steps.map(([delta, value]) => {
            timestampMs += delta;
            return { timestampMs, bits: value };
          });
          expect(decode(encodeXorChunk(samples))).toEqual(samples);
        },
      ),
      { numRuns: 500 },
    );
  });

  test("a time that is repeated, and one that goes back", () => {
    const samples = [1_000, 9_000, 9_000, 4_000].map((timestampMs) => ({ timestampMs, bits: 1n }));
    expect(decode(encodeXorChunk(samples))).toEqual(samples);
  });

  test("chunk after chunk into one buffer, larger ones before smaller ones", () => {
    const decoder = new XorChunkDecoder();
    const buffer = new SampleBuffer();
    for (const length of [120, 3, 65_535, 1, 0]) {
      const samples = Array.from({ length }, (_, index) => ({
        timestampMs: index * 15_000,
        bits: (BigInt(index) * 0x9e3779b97f4a7c15n) & (2n ** 64n - 1n),
      }));
      expect(decode(encodeXorChunk(samples), buffer, decoder)).toEqual(samples);
    }
  });
});

describe("bytes that are no chunk", () => {
  const whole = encodeXorChunk([
    { timestampMs: 1_700_000_000_000, bits: 1n },
    { timestampMs: 1_700_000_015_000, bits: staleNan },
    { timestampMs: 1_700_000_030_000, bits: 7n },
  ]);

  test("cut off anywhere", () => {
    for (let length = 0; length < whole.length; length++) {
      expect(() => decode(whole.subarray(0, length)), `${length} bytes`).toThrow(MalformedMessage);
    }
  });

  test("anything is decoded or refused, and nothing else is thrown", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decode(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
    );
  });
});
