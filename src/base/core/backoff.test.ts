import { expect, test } from "vitest";
import { nextDelay } from "./backoff.ts";

const policy = { baseMs: 1_000, maxMs: 8_000, jitter: 0.2 };

test.each([
  [1, 0, 1_000],
  [2, 0, 2_000],
  [4, 0, 8_000],
  [5, 0, 8_000],
  [2_000, 0, 8_000],
  [0, 0, 1_000],
  [1, 0.5, 1_100],
])("attempt %d with random %d waits %d ms", (attempt, random, expected) => {
  expect(nextDelay(attempt, policy, random)).toBe(expected);
});
