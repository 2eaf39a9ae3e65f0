import { expect, test } from "vitest";
import { RequestEntries } from "../state/request-entries.ts";
import { mostSuspects, Suspects } from "./suspects.ts";

const hourMs = 3_600_000;

function entries(...hashes: number[]): RequestEntries {
  const made = new RequestEntries(0);
  for (const hash of hashes) made.addTimes(hash, hash, [1]);
  return made;
}

test("a series is a suspect for an hour, counted for each window, until something of it is accepted", () => {
  const suspects = new Suspects();
  suspects.add(entries(1, 2), 0, false);
  suspects.add(entries(1), 1, false);
  expect([suspects.times(1, 1), suspects.times(2, 2), suspects.times(3, 3)]).toEqual([2, 1, 0]);
  suspects.remove(entries(2, 3));
  expect([suspects.size, suspects.times(2, 2)]).toEqual([1, 0]);
  suspects.expire(hourMs);
  expect(suspects.size).toBe(1);
  suspects.expire(hourMs + 1);
  expect(suspects.size).toBe(0);
});

test("hashes are the same whether their halves are signed or not", () => {
  const suspects = new Suspects();
  suspects.add(entries(0xffffffff), 0, false);
  expect(suspects.times(-1, -1)).toBe(1);
});

test("what is stored comes back; the newest of many", () => {
  const suspects = new Suspects();
  suspects.add(entries(1, 2, 3), 5, true);
  const restored = new Suspects();
  restored.restore(suspects.stored(2));
  expect([restored.times(3, 3), restored.isFailing(3, 3)]).toEqual([1, true]);
  expect(restored.stored(10)).toEqual([
    [2, 2, -1, hourMs + 5],
    [3, 3, -1, hourMs + 5],
  ]);
});

test("there are at most 100,000, and the oldest go first", () => {
  const suspects = new Suspects();
  suspects.add(entries(...Array.from({ length: mostSuspects + 1 }, (_, index) => index + 1)), 0, false);
  expect([suspects.size, suspects.times(1, 1), suspects.times(2, 2)]).toEqual([mostSuspects, 0, 1]);
});
