import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SampleBuffer } from "../../series/series.ts";
import { scanTimestamp, scanValue } from "./sample-numbers.ts";

/** The 64 bits read from `text`, followed by `after`; undefined when it is invalid. */
function bitsOf(text: string, after = ","): string | undefined {
  const samples = new SampleBuffer();
  const end = scanValue(Buffer.from(text + after, "latin1"), 0, samples, 0);
  if (end === -1) return undefined;
  expect(end).toBe(text.length);
  return samples.valueBytes.toString("hex", 0, 8);
}

function bitsOfDouble(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString("hex");
}

/** Go's float format 'f' with the shortest precision: never an exponent. */
function withoutExponent(value: number): string {
  const [mantissa = "", exponent = "0"] = value.toExponential().split("e");
  const negative = mantissa.startsWith("-") ? "-" : "";
  const digits = mantissa.replace(/[-.]/g, "");
  const point = 1 + Number(exponent);
  if (point <= 0) return `${negative}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return `${negative}${digits}${"0".repeat(point - digits.length)}`;
  return `${negative}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const everyDouble = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.double({ min: -2.3e-308, max: 2.3e-308, noNaN: true }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((bits) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(bits);
    const value = bytes.readDoubleLE();
    return Number.isFinite(value) ? value : 0;
  }),
  fc.integer({ min: -1_000_000, max: 1_000_000 }).map((units) => units / 1_000),
  fc.bigInt({ min: 2n ** 53n - 50n, max: 2n ** 53n + 50n }).map(Number),
);

const decimalDigits = fc.stringMatching(/^[0-9]{1,24}$/);

describe("values", () => {
  test("every double, however it is written, has the bits that JSON.parse gives it", () => {
    fc.assert(
      fc.property(everyDouble, fc.constantFrom(",", "]", " ", "}"), (value, after) => {
        const zero = Object.is(value, -0) ? "-0" : undefined;
        for (const text of [
          zero ?? JSON.stringify(value),
          zero ?? value.toExponential(),
          zero ?? withoutExponent(value),
        ]) {
          expect(bitsOf(text, after), text).toBe(bitsOfDouble(JSON.parse(text) as number));
        }
        expect(bitsOf(zero ?? withoutExponent(value))).toBe(bitsOfDouble(value));
      }),
      { numRuns: 3_000 },
    );
  });

  test("every decimal text, halfway cases included, has the bits that JSON.parse gives it", () => {
    const halfway = fc
      .tuple(fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 54n }), fc.integer({ min: 0, max: 18 }))
      .map(([digits, point]) => {
        const text = digits.toString().padStart(point + 1, "0");
        return point === 0 ? text : `${text.slice(0, -point)}.${text.slice(-point)}`;
      });
    const any = fc
      .tuple(
        fc.boolean(),
        decimalDigits,
        fc.option(decimalDigits),
        fc.option(fc.integer({ min: -340, max: 320 })),
      )
      .map(
        ([negative, whole, fraction, exponent]) =>
          (negative ? "-" : "") +
          (whole.replace(/^0+/, "") || "0") +
          (fraction === null ? "" : `.${fraction}`) +
          (exponent === null ? "" : `e${exponent}`),
      );
    fc.assert(
      fc.property(fc.oneof(halfway, any), (text) => {
        expect(bitsOf(text), text).toBe(bitsOfDouble(JSON.parse(text) as number));
      }),
      { numRuns: 5_000 },
    );
  });

  const stale = "020000000000f07f";
  const infinity = "000000000000f07f";
  const minusInfinity = "000000000000f0ff";
  test.each([
    ["-0", "0000000000000080"],
    ["-0.0", "0000000000000080"],
    ["5e-324", "0100000000000000"],
    ["9007199254740993", bitsOfDouble(9007199254740992)],
    ["900719925474099.3", bitsOfDouble(JSON.parse("900719925474099.3") as number)],
    ["NaN", stale],
    ["null", stale],
    ["Inf", infinity],
    ["+Inf", infinity],
    ["-Inf", minusInfinity],
    ['"Infinity"', infinity],
    ['"+Inf"', infinity],
    ['"-Infinity"', minusInfinity],
    ['"NaN"', stale],
    ['"1.5"', bitsOfDouble(1.5)],
    ["1E5", bitsOfDouble(100_000)],
  ])("%s", (text, bits) => {
    expect(bitsOf(text)).toBe(bits);
    expect(bitsOf(text, "]")).toBe(bits);
  });

  test.each([
    "",
    "-",
    "1.",
    ".5",
    "1e",
    "+1",
    "0x10",
    "in",
    "1remoteAddr",
    "1-2",
    "{",
    '"',
    '""',
    "--1",
    "1.2.3",
  ])("%j is no value", (text) => {
    expect(bitsOf(text)).toBeUndefined();
  });
});

describe("timestamps", () => {
  function timestampOf(text: string, after = ","): number | undefined {
    const samples = new SampleBuffer();
    const end = scanTimestamp(Buffer.from(text + after), 0, samples, 0);
    if (end === -1) return undefined;
    expect(end).toBe(text.length);
    return samples.timestampsMs[0];
  }

  test("every integer that a double holds", () => {
    const time = fc.oneof(fc.maxSafeInteger(), fc.integer({ min: 1e12, max: 2e12 }));
    fc.assert(
      fc.property(time, fc.constantFrom(",", "]", " "), (value, after) => {
        expect(timestampOf(String(value), after)).toBe(value);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    "",
    "x",
    "1.5",
    "179000000000x",
    "17900000000:0",
    "-",
    "9007199254740993",
    '"1790000000000"',
    "1e3",
  ])("%j is no timestamp", (text) => {
    expect(timestampOf(text)).toBeUndefined();
  });
});
