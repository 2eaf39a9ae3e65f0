import fc from "fast-check";
import { expect, test } from "vitest";
import { createSharedLimit } from "./shared-limit.ts";

test("each client up to its bound, all of them up to theirs", () => {
  const limit = createSharedLimit({ all: 5, perClient: 3 });
  expect([1, 1, 1, 1].map(() => limit.take("a"))).toEqual([undefined, undefined, undefined, "client"]);
  expect([limit.take("b", 3), limit.take("b", 2), limit.take("c")]).toEqual(["all", undefined, "all"]);
  limit.release("a", 2);
  expect([limit.take("c", 3), limit.take("c", 2)]).toEqual(["all", undefined]);
});

test("whatever is taken and released, neither bound is passed, and all can be taken again", () => {
  const step = fc.record({ client: fc.constantFrom("a", "b", "c"), amount: fc.integer({ min: 1, max: 4 }) });
  fc.assert(
    fc.property(fc.array(fc.tuple(step, fc.boolean())), (steps) => {
      const limit = createSharedLimit({ all: 10, perClient: 6 });
      const held: { client: string; amount: number }[] = [];
      for (const [{ client, amount }, releases] of steps) {
        const oldest = releases ? held.shift() : undefined;
        if (oldest !== undefined) limit.release(oldest.client, oldest.amount);
        if (limit.take(client, amount) === undefined) held.push({ client, amount });
        const sum = (all: typeof held) => all.reduce((total, each) => total + each.amount, 0);
        expect(sum(held)).toBeLessThanOrEqual(10);
        expect(sum(held.filter((each) => each.client === client))).toBeLessThanOrEqual(6);
      }
      for (const each of held) limit.release(each.client, each.amount);
      expect([limit.take("a", 6), limit.take("b", 4)]).toEqual([undefined, undefined]);
    }),
  );
});
