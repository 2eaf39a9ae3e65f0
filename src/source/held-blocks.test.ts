import fc from "fast-check";
import { expect, test } from "vitest";
import { SampleBuffer, Series, staleNanHigh, staleNanLow } from "../core/series.ts";
import { HeldBlocks } from "./held-blocks.ts";

/** A block: whose it is, and the times and values of its samples, in time order. */
const block = fc.record({
  series: fc.nat(5),
  samples: fc
    .array(fc.record({ ms: fc.nat(50), bits: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }) }), {
      minLength: 1,
      maxLength: 12,
    })
    .map((samples) => samples.toSorted((a, b) => a.ms - b.ms)),
});

function bufferOf(samples: readonly { readonly ms: number; readonly bits: bigint }[]): SampleBuffer {
  const buffer = new SampleBuffer();
  buffer.reserve(samples.length);
  buffer.length = samples.length;
  for (const [index, { ms, bits }] of samples.entries()) {
    buffer.timestampsMs[index] = ms;
    buffer.valueBytes.writeBigUInt64LE(bits, index * 8);
  }
  return buffer;
}

test("each series comes once, with all samples of its blocks in time order, bit for bit", async () => {
  const held = new HeldBlocks();
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 60 }), async (blocks) => {
      const all = Array.from({ length: 6 }, (_, index) => new Series([{ name: "n", value: String(index) }]));
      held.clear();
      for (const { series, samples } of blocks) held.add(all[series]!, bufferOf(samples));
      const passed = new Map<Series, { ms: number; bits: bigint }[]>();
      const count = await held.passOn(
        (series, { length, timestampsMs, valueBytes }) => {
          expect(passed.has(series)).toBe(false);
          const samples = Array.from({ length }, (_, index) => ({
            ms: timestampsMs[index]!,
            bits: valueBytes.readBigUInt64LE(index * 8),
          }));
          passed.set(series, samples);
        },
        () => true,
      );
      expect(count).toBe(passed.size);
      expect(held.samples).toBe(blocks.reduce((sum, { samples }) => sum + samples.length, 0));
      const text = ({ ms, bits }: { ms: number; bits: bigint }) => `${ms} ${bits}`;
      for (const [index, series] of all.entries()) {
        const expected = blocks.filter((each) => each.series === index).flatMap(({ samples }) => samples);
        const got = passed.get(series) ?? [];
        expect(got.map(text).sort()).toEqual(expected.map(text).sort());
        expect(got.map(({ ms }) => ms)).toEqual(got.map(({ ms }) => ms).toSorted((a, b) => a - b));
      }
    }),
  );
});

test("grows, keeps stale markers, gives others their turn, and ends where nobody wants more", async () => {
  const series = Array.from({ length: 40_000 }, () => new Series([]));
  const held = new HeldBlocks();
  const stale = (BigInt(staleNanHigh) << 32n) | BigInt(staleNanLow);
  const samples = bufferOf([1, 2, 3, 4].map((ms) => ({ ms, bits: stale })));
  for (const each of series) held.add(each, samples);
  let turns = 0;
  const counting = setInterval(() => turns++, 0);
  let passed = 0;
  await held.passOn(
    (_, { length, valueBytes }) => {
      passed += length;
      expect(valueBytes.readBigUInt64LE(8)).toBe(stale);
    },
    () => true,
  );
  clearInterval(counting);
  expect(passed).toBe(160_000);
  expect(turns).toBeGreaterThan(0);

  const left = new HeldBlocks();
  left.add(series[0]!, samples);
  expect(
    await left.passOn(
      () => expect.unreachable(),
      () => false,
    ),
  ).toBeUndefined();
});
