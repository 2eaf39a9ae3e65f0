import { expect, test } from "vitest";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { CostlyReads, ReadPlace } from "./read-place.ts";

const never = new AbortController().signal;

function placesOf(count: number) {
  const places = new FairSemaphore(count, "all-but-one");
  const costly = new CostlyReads();
  return { places, costly, placeOf: (owner: string) => new ReadPlace(places, costly, owner) };
}

test("a read whose consumers have worked for long leaves its place to another, and goes on", async () => {
  const { places, costly, placeOf } = placesOf(1);
  const hostile = placeOf("hostile");
  await hostile.acquire(never);
  const honest = placeOf("honest");
  let isOpen = false;
  const opened = honest.acquire(never).then(() => {
    isOpen = true;
  });
  await hostile.pause(199);
  expect(isOpen).toBe(false);
  await hostile.pause(1);
  await opened;
  expect([places.taken, costly.open]).toEqual([1, 1]);
  hostile.release();
  honest.release();
  expect([places.taken, costly.open]).toEqual([0, 0]);
});

test("an owner's costly reads keep their places once half of the other places are its own", async () => {
  const { places, costly, placeOf } = placesOf(10);
  const reads = Array.from({ length: 6 }, () => placeOf("hostile"));
  for (const read of reads) await read.acquire(never);
  await Promise.all(reads.map((read) => read.pause(200)));
  expect([places.taken, costly.open]).toEqual([2, 4]);
  for (const read of reads) read.release();
  expect([places.taken, costly.open]).toEqual([0, 0]);
});

test("costly reads take steps one after another, with a rest between two", async () => {
  const { placeOf } = placesOf(10);
  const reads = [placeOf("a"), placeOf("b"), placeOf("c")];
  for (const read of reads) await read.acquire(never);
  await Promise.all(reads.map((read) => read.pause(200)));
  const startMs = performance.now();
  await Promise.all(reads.map((read) => read.pause(5)));
  expect(performance.now() - startMs).toBeGreaterThanOrEqual(25);
});
