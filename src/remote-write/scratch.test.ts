import { expect, test } from "vitest";
import { giveScratch, growScratch, takeScratch } from "./scratch.ts";

test("what was given back is given out again; what was not, never", () => {
  const first = takeScratch();
  const second = takeScratch();
  expect(second).not.toBe(first);
  giveScratch(first);
  expect(takeScratch()).toBe(first);
  expect(takeScratch()).not.toBe(second);
});

test("a larger piece has what was written, and at least the room that is needed", () => {
  const small = takeScratch();
  small.write("written");
  const large = growScratch(small, 7, 1_000_000);
  expect(large.length).toBeGreaterThanOrEqual(1_000_000);
  expect(large.toString("latin1", 0, 7)).toBe("written");
  expect(growScratch(large, 7, large.length + 1).length).toBe(large.length * 2);
});

test("a piece of unusual size is not kept", () => {
  const huge = Buffer.alloc(16 * 2 ** 20);
  giveScratch(huge);
  expect(takeScratch()).not.toBe(huge);
});

test("the largest go out first, and what they grew from does not take their place", () => {
  const grown = Array.from({ length: 8 }, () => growScratch(takeScratch(), 0, 2 ** 20));
  for (const piece of grown) giveScratch(piece);
  giveScratch(Buffer.alloc(20_000));
  expect(new Set(Array.from({ length: 8 }, takeScratch))).toEqual(new Set(grown));
});
