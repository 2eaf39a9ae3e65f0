import { expect, test } from "vitest";
import { answersAllowed, failuresAllowed, probesWithin, wrongPassword } from "../faults/bounds.ts";
import { receiverTroubles, troubles } from "../faults/schedule.ts";
import { seededRandom } from "../support/random.ts";

test("every kind of trouble comes before one comes again, and a seed repeats them all", () => {
  const take = () => {
    const limits = { pauseMs: [1, 5], lengthMs: [10, 20] } as const;
    const drawn = troubles(receiverTroubles, seededRandom(7), limits);
    return Array.from({ length: receiverTroubles.length * 2 }, () => drawn.next().value);
  };
  const all = take();
  for (const half of [all.slice(0, receiverTroubles.length), all.slice(receiverTroubles.length)]) {
    expect(half.map(({ kind }) => kind).sort()).toEqual([...receiverTroubles].sort());
  }
  for (const { afterMs, forMs } of all) {
    expect([afterMs >= 1, afterMs <= 5, forMs >= 10, forMs <= 20]).toEqual([true, true, true, true]);
  }
  expect(take()).toEqual(all);
});

test.each([
  [100, 0],
  [200, 1],
  [999, 1],
  [1_000, 2],
  [2_199, 2],
  [2_200, 3],
  [6_000, 4],
])("in %d ms of trouble the doubling pauses leave room for %d probes", (lengthMs, probes) => {
  expect(probesWithin(lengthMs)).toBe(probes);
});

test("the bounds on requests count what the schedule did, and nothing else", () => {
  const short = { kind: "500", lengthMs: 0, failed: 0, passed: 0, wakes: 0 };
  // Each of the four lanes tries its request three times.
  expect(failuresAllowed(short)).toBe(12);
  expect(failuresAllowed({ ...short, lengthMs: 1_000, passed: 1, wakes: 1 })).toBe(3 * (4 * 3 + 2));
  expect(failuresAllowed({ ...short, kind: wrongPassword, lengthMs: 9_000, wakes: 1 })).toBe(8);
  const count = { ticks: 10, samplesOfTick: 1_500, cuts: 0, disturbedReads: 0 };
  expect(answersAllowed(count)).toBe(10 * (5 + 3));
  expect(answersAllowed({ ...count, cuts: 2, disturbedReads: 3 })).toBe(80 + 2 * 9 + 3 * 5);
});
