import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestEntries } from "./request-entries.ts";

function list(entries: RequestEntries): string[] {
  const listed: string[] = [];
  entries.each((high, low, untilMs) => void listed.push(`${high}:${low}:${untilMs}`));
  return listed.sort();
}

test("what encode writes, decode reads", () => {
  const hash = fc.integer({ min: 0, max: 0xffffffff });
  const untilMs = fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 2 ** 42 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, hash, untilMs), { maxLength: 200 }), (triples) => {
      const entries = new RequestEntries();
      for (const [high, low, until] of triples) entries.add(high, low, until);
      const decoded = RequestEntries.decode(entries.encode());
      expect(decoded.length).toBe(triples.length);
      expect(list(decoded)).toEqual(list(entries));
    }),
  );
});

test("whole entries cost 8 bytes each", () => {
  const entries = new RequestEntries();
  for (let low = 0; low < 500; low++) entries.add(7, low, Infinity);
  expect(entries.encode().length).toBe(4 + 500 * 8);
});

test("cut bytes are an error, not a wrong list", () => {
  const entries = new RequestEntries();
  entries.add(1, 2, Infinity);
  expect(() => RequestEntries.decode(entries.encode().subarray(0, 8))).toThrow(RangeError);
});

test("a slice holds its entries, none further than the bound", () => {
  const entries = new RequestEntries();
  entries.add(1, 1, Infinity);
  entries.add(2, 2, 500);
  entries.add(3, 3, Infinity);
  const listed = (part: RequestEntries) => {
    const found: number[][] = [];
    part.each((high, low, untilMs) => void found.push([high, low, untilMs]));
    return found;
  };
  expect(listed(entries.slice(1, 5))).toEqual([
    [2, 2, 500],
    [3, 3, Infinity],
  ]);
  expect(listed(entries.slice(0, 1, 70))).toEqual([[1, 1, 70]]);
});
