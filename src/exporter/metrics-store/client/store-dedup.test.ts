import { expect, test } from "vitest";
import { dedupIntervalIn } from "./store-dedup.ts";

test.each([
  ['-a="b"\n-dedup.minScrapeInterval="1m0s"\n-z="1"\n', 60_000],
  ['-dedup.minScrapeInterval="15s"', 15_000],
  ['-dedup.minScrapeInterval="1ms"\n', 0],
  ['-dedup.minScrapeInterval="0s"\n', 0],
  ['-x.dedup.minScrapeInterval="15s"\n', 0],
  ['-httpListenAddr=":8428"\n', 0],
  ["<html>", 0],
  ["", 0],
])("%j is an interval of %i ms", (flags, expected) => {
  expect(dedupIntervalIn(flags)).toBe(expected);
});
