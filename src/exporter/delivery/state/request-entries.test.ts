import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestEntries } from "./request-entries.ts";

function list(entries: RequestEntries): number[][] {
  const listed: number[][] = [];
  entries.each((high, low, untilMs) => void listed.push([high, low, untilMs]));
  return listed;
}

test("what encode writes, decode reads", () => {
  const hash = fc.integer({ min: 0, max: 0xffffffff });
  const baseMs = fc.integer({ min: -(2 ** 42), max: 2 ** 42 });
  const distanceMs = fc.integer({ min: 0, max: 86_400_000 });
  fc.assert(
    fc.property(
      baseMs,
      fc.array(fc.tuple(hash, hash, distanceMs), { maxLength: 200 }),
      fc.nat(7),
      (base, triples, misalignment) => {
        const entries = new RequestEntries(base);
        for (const [high, low, distance] of triples) entries.add(high, low, base + distance);
        const encoded = Buffer.concat([Buffer.alloc(misalignment), entries.encode()]).subarray(misalignment);
        expect(encoded.length).toBe(entries.byteLength);
        const decoded = RequestEntries.decode(encoded);
        expect(list(decoded)).toEqual(triples.map(([high, low, distance]) => [high, low, base + distance]));
        decoded.add(1, 2, base + 3);
        expect(list(decoded).at(-1)).toEqual([1, 2, base + 3]);
      },
    ),
  );
});

test("an entry costs 12 bytes", () => {
  const entries = new RequestEntries(0);
  for (let low = 0; low < 500; low++) entries.add(7, low, low);
  expect(entries.encode().length).toBe(12 + 500 * 12);
});

test("cut bytes are an error, not a wrong list", () => {
  const entries = new RequestEntries(0);
  entries.add(1, 2, 3);
  for (let length = 0; length < entries.byteLength; length++) {
    expect(() => RequestEntries.decode(entries.encode().subarray(0, length))).toThrow(RangeError);
  }
});

test("a slice holds its entries, none further than the bound", () => {
  const entries = new RequestEntries(0);
  entries.add(1, 1, 900);
  entries.add(2, 2, 500);
  entries.add(3, 3, 800);
  expect(list(entries.slice(1, 5))).toEqual([
    [2, 2, 500],
    [3, 3, 800],
  ]);
  expect(list(entries.slice(0, 1, 70))).toEqual([[1, 1, 70]]);
});
