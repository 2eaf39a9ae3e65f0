import { expect, test } from "vitest";
import { warningHeaders } from "./warnings.ts";

test("each text once, quoted, without what a header cannot carry", () => {
  expect(warningHeaders(["a", 'b "c"', "a", "ü\n"])).toEqual([
    '299 - "a"',
    '299 - "b \\"c\\""',
    '299 - "?\\n"',
  ]);
  expect(warningHeaders([])).toEqual([]);
});

test.each([
  ["a few long ones", Array.from({ length: 20 }, (_, i) => `${i}`.padEnd(1_000, "x"))],
  ["many short ones", Array.from({ length: 50_000 }, (_, i) => `${i}`)],
  ["one that is too long", ["x".repeat(1_000_000)]],
  ["what is longer when quoted", Array.from({ length: 100 }, (_, i) => `${i}${'"\u0001'.repeat(500)}`)],
])("%s are cut, so that a client can read the head of the response", (_name, texts) => {
  const headers = warningHeaders(texts);
  const bytes = headers.reduce((sum, text) => sum + `warning: ${text}\r\n`.length, 0);
  expect(headers.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(8 * 1024);
  for (const header of headers) expect(header.length).toBeLessThan(2_000);
});

test("what fits is not cut", () => {
  const text = "x".repeat(4_000);
  expect(warningHeaders([text])).toEqual([`299 - "${text}"`]);
});
