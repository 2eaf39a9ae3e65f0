import fc from "fast-check";
import { expect, test } from "vitest";
import { parseQuantity, quantityField } from "./quantity.ts";

const one = 10n ** 9n;
const largest = (2n ** 63n - 1n) * one;

test.each<[string | number, bigint | undefined]>([
  ["0", 0n],
  [0, 0n],
  [5, 5n * one],
  [-5, -5n * one],
  ["+5", 5n * one],
  ["10Gi", 10n * 2n ** 30n * one],
  ["1.5Ki", 1536n * one],
  [".5", one / 2n],
  ["5.", 5n * one],
  ["500m", one / 2n],
  ["1n", 1n],
  ["0.1n", 1n],
  ["-0.1n", -1n],
  ["1e3", 1_000n * one],
  ["1E-3", one / 1_000n],
  ["1E", 10n ** 18n * one],
  ["9Ei", largest],
  ["-9Ei", -largest],
  ["1e400", largest],
  ["1e-400", 1n],
  ["0e400", 0n],
  ["", undefined],
  [".", undefined],
  ["Gi", undefined],
  ["5gi", undefined],
  ["5K", undefined],
  ["1e", undefined],
  ["1e1.5", undefined],
  [" 1", undefined],
  ["1 Gi", undefined],
  ["0x10", undefined],
  ["1".repeat(101), undefined],
  [1.5, undefined],
])("%j", (text, expected) => {
  expect(parseQuantity(text)).toBe(expected);
});

const suffixes: Readonly<Record<string, bigint>> = {
  "": one,
  ...{ n: 1n, u: 10n ** 3n, m: 10n ** 6n, k: 10n ** 12n, M: 10n ** 15n, G: 10n ** 18n },
  ...{ Ki: 2n ** 10n * one, Mi: 2n ** 20n * one, Gi: 2n ** 30n * one },
};

test("a whole number times its suffix", () => {
  const suffix = fc.constantFrom(...Object.keys(suffixes));
  fc.assert(
    fc.property(fc.integer(), suffix, (number, unit) => {
      expect(parseQuantity(`${number}${unit}`)).toBe(BigInt(number) * (suffixes[unit] ?? 0n));
    }),
  );
});

test("the position of the point and the exponent make up for each other", () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 0, max: 9 }), (number, places) => {
      const digits = String(number).padStart(places + 1, "0");
      const point = digits.length - places;
      const text = `${digits.slice(0, point)}.${digits.slice(point)}e${places}`;
      expect(parseQuantity(text)).toBe(parseQuantity(number));
    }),
  );
});

test("what is a quantity has the form that the schema publishes; nothing throws", () => {
  const pattern = new RegExp(quantityField("").pattern ?? "", "u");
  const text = fc.string({ unit: fc.constantFrom(..."0123456789.eE+-KMGTPimnuk ") });
  fc.assert(
    fc.property(fc.oneof(text, fc.string()), (each) => {
      if (parseQuantity(each) !== undefined) expect(each).toMatch(pattern);
    }),
  );
});
