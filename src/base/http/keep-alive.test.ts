import { expect, test } from "vitest";
import { keepAliveMs } from "./keep-alive.ts";

test.each<[string | string[] | undefined, number]>([
  [undefined, 20_000],
  ["timeout=5", 3_000],
  ["timeout=5, max=1000", 3_000],
  ["max=1000, Timeout = 5", 3_000],
  ['timeout="5"', 3_000],
  [["max=7", "timeout=5"], 3_000],
  ["timeout=30", 28_000],
  ["timeout=600", 60_000],
  ["timeout=999999999", 60_000],
  ["timeout=2", 0],
  ["timeout=0", 0],
  ["timeout=", 20_000],
  ["timeout=-1", 20_000],
  ["max=5", 20_000],
  ["xtimeout=5", 20_000],
  ["", 20_000],
])("%j: %d ms", (header, expected) => {
  expect(keepAliveMs(header, 20_000)).toBe(expected);
});
