import fc from "fast-check";
import { expect, test } from "vitest";
import { TimeSets } from "./time-sets.ts";

const baseMs = fc.integer({ min: 0, max: 2 ** 41 });
/** Few different ones, and the ends of what a word holds. */
const times = fc
  .array(fc.constantFrom(0, 1, 2, 3, 2 ** 31, 2 ** 32 - 1), { maxLength: 4 })
  .map((list) => list.sort((a, b) => a - b));

test("each set is kept once, under the number that it got first", () => {
  fc.assert(
    fc.property(baseMs, fc.array(times, { maxLength: 60 }), fc.nat(20), (base, lists, capacity) => {
      const sets = new TimeSets(capacity);
      const numbers = new Map<string, number>();
      for (const list of lists) {
        const added = list.map((ms) => base + ms);
        const number = sets.add([7, ...added, 7], 1, 1 + added.length, base);
        const known = numbers.get(String(list));
        if (known === undefined) expect(number).toBe(numbers.size);
        else expect(number).toBe(known);
        numbers.set(String(list), number);
        expect([...sets.get(number)]).toEqual(list);
        expect(sets.last(number)).toBe(list.at(-1) ?? 0);
      }
      expect(sets.count).toBe(numbers.size);
    }),
  );
});

test("of restores what words gives, and goes on", () => {
  fc.assert(
    fc.property(fc.array(times, { maxLength: 30 }), times, (lists, more) => {
      const sets = new TimeSets();
      const numbers = lists.map((list) => sets.add(list, 0, list.length, 0));
      const restored = TimeSets.of(sets.words.slice());
      expect(restored.count).toBe(sets.count);
      expect([...restored.words]).toEqual([...sets.words]);
      expect([...restored.get(restored.add(more, 0, more.length, 0))]).toEqual(more);
      for (const [index, number] of numbers.entries())
        expect([...restored.get(number)]).toEqual(lists[index]);
    }),
  );
});

test("sets of equal hashes are different sets", () => {
  // The hash's steps, turned around.
  const mixed = (hash: number) => Math.imul(hash, 0x01000193);
  const afterFirst = (first: number) => mixed(mixed(2) ^ first);
  const one = [5, 9];
  const other = [6, (afterFirst(5) ^ 9 ^ afterFirst(6)) >>> 0];
  const sets = new TimeSets();
  const numbers = [one, other, one, other].map((list) => sets.add(list, 0, 2, 0));
  expect(numbers[1]).not.toBe(numbers[0]);
  // Only the last of them is found again.
  expect(sets.count).toBe(4);
  for (const [index, number] of numbers.entries()) {
    expect([...sets.get(number)]).toEqual([one, other, one, other][index]);
  }
});

test("a set that is not there is empty", () => {
  const sets = new TimeSets();
  expect([...sets.get(0)]).toEqual([]);
  expect(sets.last(0)).toBe(0);
});

test.each([[[1]], [[2, 5]], [[0, 3, 1, 2]]])("words that are cut off are an error: %j", (words) => {
  expect(() => TimeSets.of(Uint32Array.from(words))).toThrow(RangeError);
});
