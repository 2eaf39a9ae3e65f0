import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type BitSample,
  encodeXor2Chunk,
  encodeXorChunk,
  type StartedSample,
} from "../../../../test/support/store/xor-chunk.ts";
import { SampleBuffer } from "../../series/series.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { XorChunkDecoder } from "./xor-chunk.ts";
import { Xor2ChunkDecoder } from "./xor2-chunk.ts";

type Decoder = Pick<XorChunkDecoder, "decode">;

/** Decodes a chunk within larger bytes, like a frame's, with `behind` bytes after it. */
function decodeWith(decoder: Decoder, chunk: Buffer, samples = new SampleBuffer(), behind = 3): BitSample[] {
  const before = samples.length;
  const bytes = Buffer.concat([Buffer.alloc(5, 0xff), chunk, Buffer.alloc(behind, 0xff)]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  decoder.decode(bytes, view, 5, 5 + chunk.length, samples);
  return Array.from({ length: samples.length - before }, (_, index) => ({
    timestampMs: samples.timestampsMs[before + index] as number,
    bits: samples.valueBytes.readBigUInt64LE((before + index) * 8),
  }));
}

const staleNan = 0x7ff0000000000002n;
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
  fc.constantFrom(1, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193, 65_535, 65_536, 65_537),
  fc.constantFrom(524_287, 524_288, 524_289, 2 ** 33),
);
const anySamples = fc
  .tuple(fc.integer({ min: -(2 ** 45), max: 2 ** 45 }), fc.array(fc.tuple(deltaMs, bits), { maxLength: 140 }))
  .map(([startMs, steps]) => {
    let timestampMs = startMs;
    return steps.map(([delta, value]): BitSample => {
      timestampMs += delta;
      return { timestampMs, bits: value };
    });
  });

describe.each([
  ["XOR", () => new XorChunkDecoder(), encodeXorChunk],
  ["XOR2", () => new Xor2ChunkDecoder(), encodeXor2Chunk],
] as const)("%s", (_, decoderOf, encode) => {
  test("any times and values are decoded, bit for bit", () => {
    fc.assert(
      fc.property(anySamples, fc.constantFrom(0, 100), (samples, behind) => {
        expect(decodeWith(decoderOf(), encode(samples), new SampleBuffer(), behind)).toEqual(samples);
      }),
      { numRuns: 500 },
    );
  });

  test("a time that is repeated, and one that goes back", () => {
    const samples = [1_000, 9_000, 9_000, 4_000].map((timestampMs) => ({ timestampMs, bits: 1n }));
    expect(decodeWith(decoderOf(), encode(samples))).toEqual(samples);
  });

  test("chunk after chunk into one buffer, larger ones before smaller ones", () => {
    const decoder = decoderOf();
    const buffer = new SampleBuffer();
    for (const length of [120, 3, 65_535, 1, 0]) {
      const samples = Array.from({ length }, (_, index) => ({
        timestampMs: index * 15_000,
        bits: (BigInt(index) * 0x9e3779b97f4a7c15n) & (2n ** 64n - 1n),
      }));
      expect(decodeWith(decoder, encode(samples), buffer)).toEqual(samples);
    }
  });

  test("a chunk that is cut off anywhere is malformed, and leaves the buffer as it was", () => {
    const whole = encode([
      { timestampMs: 1_700_000_000_000, bits: 1n },
      { timestampMs: 1_700_000_015_000, bits: staleNan },
      { timestampMs: 1_700_000_030_000, bits: 7n },
    ]);
    const buffer = new SampleBuffer();
    for (let length = 0; length < whole.length; length++) {
      for (const behind of [0, 100]) {
        const cut = (): unknown => decodeWith(decoderOf(), whole.subarray(0, length), buffer, behind);
        expect(cut, `${length} bytes`).toThrow(MalformedMessage);
      }
    }
    expect(buffer.length).toBe(0);
  });

  test("any bytes are decoded or malformed, and nothing else is thrown", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          decodeWith(decoderOf(), Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
    );
  });
});

describe("chunks that Prometheus 3.15 wrote", () => {
  const recorded: Record<string, { chunks: string[]; times: number[]; values: string }> = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../../test/support/store/xor2-chunks.json"), "utf8"),
  );

  test.each(Object.entries(recorded))("%s", (_, { chunks, times, values }) => {
    const decoder = new Xor2ChunkDecoder();
    const samples = chunks.flatMap((chunk) => decodeWith(decoder, Buffer.from(chunk, "base64")));
    expect(samples.map(({ timestampMs }) => timestampMs)).toEqual(times);
    expect(samples.map((sample) => sample.bits.toString(16).padStart(16, "0")).join("")).toBe(values);
  });

  test("have start timestamps in every way: none, one for all, and ones that change from the second or a later sample on", () => {
    const heads = Object.values(recorded).flatMap(({ chunks }) =>
      chunks.map((chunk) => Buffer.from(chunk, "base64")[2]),
    );
    expect(heads).toContain(0);
    expect(heads).toContain(0x80);
    expect(heads).toContain(0x81);
    expect(heads.some((head) => (head ?? 0) > 0x81)).toBe(true);
  });
});

describe("start timestamps of XOR2", () => {
  const startMs = fc.oneof(
    fc.constantFrom(0, 1, 1_700_000_000_000, -(2 ** 52), 2 ** 52),
    fc.integer({ min: -(2 ** 45), max: 2 ** 45 }),
  );

  test("are passed over, wherever they begin and change", () => {
    const runs = fc.array(fc.tuple(startMs, fc.integer({ min: 1, max: 140 })), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(anySamples, runs, (samples, starts) => {
        const each = starts.flatMap(([start, times]) => new Array<number>(times).fill(start));
        const started = samples.map(
          (sample, index): StartedSample => ({ ...sample, startMs: each[index % each.length] ?? 0 }),
        );
        expect(decodeWith(new Xor2ChunkDecoder(), encodeXor2Chunk(started))).toEqual(samples);
      }),
      { numRuns: 500 },
    );
  });
});
