import { expect, test } from "vitest";
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
