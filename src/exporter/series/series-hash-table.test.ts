import fc from "fast-check";
import { expect, test } from "vitest";
import { SeriesHashTable } from "./series-hash-table.ts";

test("behaves as a Map does", () => {
  // Few distinct hashes, so that equal ones and probe chains occur.
  const hash = fc.tuple(fc.nat(3), fc.nat(40));
  fc.assert(
    fc.property(fc.array(fc.tuple(hash, fc.nat(0xfffffffe))), (operations) => {
      const table = new SeriesHashTable();
      const model = new Map<string, number>();
      for (const [[high, low], value] of operations) {
        table.set(high, low, value);
        model.set(`${high}/${low}`, value);
      }
      expect(table.size).toBe(model.size);
      for (let high = 0; high <= 3; high++)
        for (let low = 0; low <= 40; low++) expect(table.get(high, low)).toBe(model.get(`${high}/${low}`));
    }),
  );
});

test("hashes are unsigned, and so are values", () => {
  const table = new SeriesHashTable();
  table.set(-1, 0xfffffffe, 0xfffffffe);
  expect(table.get(0xffffffff, -2)).toBe(0xfffffffe);
});

test("raise keeps the larger", () => {
  const table = new SeriesHashTable();
  table.raise(1, 1, 5);
  table.raise(1, 1, 3);
  expect(table.get(1, 1)).toBe(5);
});
