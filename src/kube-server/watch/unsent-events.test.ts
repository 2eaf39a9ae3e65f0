import { expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { UnsentEvents } from "./unsent-events.ts";

const limits = { maxBytes: 1_000, maxBytesOfWatch: 300, stallMs: 60_000, crowdedStallMs: 5_000 };
const signal = new AbortController().signal;

function setUp() {
  const clock = new TestClock(0);
  const unsent = new UnsentEvents(clock, limits);
  const ended: string[] = [];
  return { clock, unsent, ended, open: (name: string) => unsent.open(() => ended.push(name)) };
}

test("a watch is behind at its own limit, and goes on when its reader has taken something", async () => {
  const { open } = setUp();
  const watch = open("a");
  const sent = watch.add(299);
  expect(watch.isReady()).toBe(true);
  watch.add(1);
  expect(watch.isReady()).toBe(false);
  let isReady = false;
  const waiting = watch.ready(signal).then(() => {
    isReady = true;
  });
  await Promise.resolve();
  expect(isReady).toBe(false);
  sent();
  await waiting;
  watch.close();
});

test("all watches together have a limit; one that waits for room goes on when there is some", async () => {
  const { open, unsent } = setUp();
  const readers = ["a", "b", "c", "d"].map(open);
  const sent = readers.map((watch) => watch.add(250));
  const late = open("late");
  expect(late.isReady()).toBe(false);
  const waiting = late.ready(signal);
  sent[0]?.();
  unsent.sweep();
  await waiting;
  for (const watch of [...readers, late]) watch.close();
  expect(open("next").isReady()).toBe(true);
});

test("a wait ends with the watch", async () => {
  const { open } = setUp();
  const watch = open("a");
  watch.add(300);
  const over = new AbortController();
  const waiting = watch.ready(over.signal);
  over.abort(new Error("over"));
  await expect(waiting).rejects.toThrow("over");
  watch.close();
});

test.each<[string, number, number, string[]]>([
  ["a reader that takes nothing for a minute is ended", 1, 60_001, ["slow"]],
  ["not before", 1, 60_000, []],
  ["while there is no room, sooner", 1_000, 5_001, ["slow"]],
  ["but not at once", 1_000, 5_000, []],
])("%s", (_name, bytes, ms, expected) => {
  const { open, unsent, clock, ended } = setUp();
  const slow = open("slow");
  const quick = open("quick");
  slow.add(bytes);
  quick.add(1);
  const taken = quick.add(1);
  clock.advance(ms);
  taken();
  unsent.sweep();
  expect(ended).toEqual(expected);
  slow.close();
  quick.close();
});

test("what a closed watch had unsent is counted no more, also when it is reported later", () => {
  const { open } = setUp();
  const watch = open("a");
  const sent = watch.add(2_000);
  watch.close();
  sent();
  const next = open("b");
  next.add(999);
  expect(open("c").isReady()).toBe(true);
  next.add(1);
  expect(open("c").isReady()).toBe(false);
  next.close();
});

test("a reader that receives a large event slowly is not ended", () => {
  const { clock, open, unsent, ended } = setUp();
  const watch = open("slow");
  const received = watch.add(299);
  for (let piece = 0; piece < 5; piece++) {
    clock.advance(40_000);
    unsent.sweep();
    received(false);
  }
  expect(ended).toEqual([]);
  clock.advance(60_001);
  unsent.sweep();
  expect(ended).toEqual(["slow"]);
  watch.close();
});
