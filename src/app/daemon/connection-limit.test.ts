import { expect, test } from "vitest";
import { limitWithin, openFileLimit } from "./connection-limit.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             63449                63449                processes
Max open files            ${soft}                 4096                 files
`;

test.each([
  [limits("1024"), 1_024],
  [limits("unlimited"), Infinity],
  ["", Infinity],
])("%j", (text, expected) => {
  expect(openFileLimit(text)).toBe(expected);
});

test.each([
  [2_000, Infinity, 2_000],
  [2_000, 4_000, 2_000],
  [2_000, 1_024, 512],
  [2_000, 8, 16],
  [5, 8, 5],
])("%i connections where %d files may be open: %i", (configured, openFiles, expected) => {
  expect(limitWithin(configured, openFiles)).toBe(expected);
});
