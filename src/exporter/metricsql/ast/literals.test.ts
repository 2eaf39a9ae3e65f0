import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDuration, parseNumber, parseString, quoteString } from "./literals.ts";

describe("parseNumber", () => {
  it.each<[string, number]>([
    ["0", 0],
    ["12.", 12],
    [".5", 0.5],
    ["12.e+4", 120_000],
    ["1_234.5_6", 1234.56],
    ["1.5Ki", 1536],
    ["8K", 8000],
    ["2kb", 2000],
    ["1.2Mi", 1.2 * 1024 * 1024],
    ["3GB", 3e9],
    ["1TiB", 2 ** 40],
    ["0x1F", 31],
    ["0b101", 5],
    ["0o17", 15],
    ["0123", 83],
    ["007", 7],
    ["09", 9],
    ["09.5", 9.5],
    ["07e8", 7e8],
    ["07_8", 78],
    ["iNf", Number.POSITIVE_INFINITY],
    ["NAN", Number.NaN],
  ])("%s", (text, value) => {
    expect(parseNumber(text)).toBe(value);
  });

  it.each([
    "",
    ".",
    "1_",
    "1__0",
    "_1",
    "1e",
    "1e+",
    "0x",
    "0b2",
    "0o8",
    "1e999",
    "0xffffffffffffffff",
    "1Kib5",
    "x",
  ])("%j is none", (text) => {
    expect(parseNumber(text)).toBeUndefined();
  });
});

describe("parseDuration", () => {
  it.each<[string, number]>([
    ["5ms", 5],
    ["1.5s", 1500],
    ["2m", 120_000],
    ["1h", 3_600_000],
    ["1.5d", 129_600_000],
    ["1w", 604_800_000],
    ["1y", 365 * 86_400_000],
    ["1h30m", 5_400_000],
    ["2H5s", 7_205_000],
    ["2h-5m", 6_900_000],
    ["2h-5m3s", 6_897_000],
    ["-2h5m", -7_500_000],
    ["300", 300_000],
    ["0.5", 500],
    ["1_000", 1_000_000],
    ["-300", -300_000],
    ["5i", 50_000],
    ["1h-2i", 3_580_000],
  ])("%s, with a step of ten seconds", (text, ms) => {
    const duration = parseDuration(text);
    expect(duration?.text).toBe(text);
    expect(duration && duration.ms + duration.steps * 10_000).toBeCloseTo(ms, 6);
  });

  it.each(["", "m", "5M", "5q", "5m ", "1h 5m", "x5m", "5mm", "1Ki", "0x10", "--5m", "5m-"])(
    "%j is none",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});

describe("parseString", () => {
  it.each<[string, string]>([
    ['"a"', "a"],
    [`'a"b'`, 'a"b'],
    [`"a'b"`, "a'b"],
    [`'it\\'s'`, "it's"],
    ["`a\\nb`", "a\\nb"],
    ["`a\r\nb`", "a\nb"],
    ['"\\a\\b\\f\\n\\r\\t\\v\\\\"', "\x07\b\f\n\r\t\v\\"],
    ['"\\x41\\101\\u00e9\\U0001F600"', "AAé😀"],
    ['"\\xc3\\xa9x"', "éx"],
    ['"\\xef\\xbb\\xbfa"', "\ufeffa"],
  ])("%j", (token, value) => {
    expect(parseString(token)).toBe(value);
  });

  it.each([
    '"\\q"',
    `'\\"'`,
    `"\\'"`,
    '"\\x4"',
    '"\\u12"',
    '"\\400"',
    '"\\8"',
    '"\\ud800"',
    '"\\U00110000"',
    '"\\xff"',
    '"a\nb"',
  ])("%j is none", (token) => {
    expect(parseString(token)).toBeUndefined();
  });

  it("reads what quoteString writes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (value) => {
        expect(parseString(quoteString(value))).toBe(value);
      }),
    );
  });
});
