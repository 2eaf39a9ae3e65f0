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

test("what a piece grew into is used again, and so is what it grew from", () => {
  const small = takeScratch();
  const large = growScratch(small, 0, 600_000);
  expect(large.length).toBe(2 ** 20);
  giveScratch(large);
  const again = takeScratch();
  expect(again).toBe(small);
  expect(growScratch(again, 0, 600_000)).toBe(large);
});

test("what is no piece is not kept", () => {
  for (const bytes of [0, 1, 20_000]) giveScratch(Buffer.alloc(bytes));
  for (let index = 0; index < 10; index++) expect(takeScratch().length).toBe(16 * 1_024);
  expect(growScratch(takeScratch(), 0, 20_000).length).toBe(32 * 1_024);
});

test("no more than a few of a size are kept", () => {
  const pieces = Array.from({ length: 20 }, () => growScratch(takeScratch(), 0, 2 ** 21));
  for (const piece of pieces) giveScratch(piece);
  const given = new Set(Array.from({ length: 20 }, () => growScratch(takeScratch(), 0, 2 ** 21)));
  expect(pieces.filter((piece) => given.has(piece))).toHaveLength(5);
});
