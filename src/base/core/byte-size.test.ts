import { expect, test } from "vitest";
import { formatByteSize, parseByteSize } from "./byte-size.ts";

test.each([
  ["64KiB", 65_536],
  ["256MiB", 268_435_456],
  ["1.5GB", 1_500_000_000],
  ["12", 12],
  ["3 MiB", 3_145_728],
  ["1TB", undefined],
  ["-1KiB", undefined],
  ["KiB", undefined],
])("parseByteSize(%s)", (text, expected) => {
  expect(parseByteSize(text)).toBe(expected);
});

test.each([
  [512, "512B"],
  [65_536, "64KiB"],
  [1_572_864, "1.5MiB"],
  [3 * 2 ** 30, "3GiB"],
])("formatByteSize(%d)", (bytes, expected) => {
  expect(formatByteSize(bytes)).toBe(expected);
});
