import fc from "fast-check";
import { expect, test } from "vitest";
import { FairSemaphore } from "./fair-semaphore.ts";

const never = new AbortController().signal;

function takeAll(semaphore: FairSemaphore, tenant: string): number {
  for (let count = 0; ; count++) if (!semaphore.tryAcquire(tenant)) return count;
}

test.each([
  [["a"], [50], 50],
  [["a", "b"], [50, 25], 25],
  [["a", "b", "c", "d"], [50, 25, 13, 6], 6],
])("greedy tenants one after another: %j get %j of 100, and %i stay free", (tenants, expected, free) => {
  const semaphore = new FairSemaphore(100);
  expect(tenants.map((tenant) => takeAll(semaphore, tenant))).toEqual(expected);
  expect(semaphore.free).toBe(free);
});

test("a single place is given too", async () => {
  const semaphore = new FairSemaphore(1);
  await semaphore.acquire("a", never);
  const order: string[] = [];
  const waits = ["b", "a"].map((tenant) => semaphore.acquire(tenant, never).then(() => order.push(tenant)));
  semaphore.release("a");
  await waits[0];
  semaphore.release("b");
  await waits[1];
  expect(order).toEqual(["b", "a"]);
});

test("tenants take turns, however long the queue of one is; whoever gives up keeps nobody back", async () => {
  const semaphore = new FairSemaphore(2);
  await semaphore.acquire("x", never);
  await semaphore.acquire("y", never);
  const order: string[] = [];
  const abort = new AbortController();
  const waits = ["a1", "a2", "a3", "b1", "c1", "b2"].map((name) =>
    semaphore.acquire(name[0]!, name === "a2" ? abort.signal : never).then(
      () => order.push(name),
      () => undefined,
    ),
  );
  abort.abort(new Error("given up"));
  let holder = "x";
  for (let index = 0; index < 5; index++) {
    semaphore.release(holder);
    await new Promise(setImmediate);
    holder = order.at(-1)![0]!;
  }
  await Promise.all(waits);
  expect(order).toEqual(["a1", "b1", "c1", "a3", "b2"]);
});

test("whatever happens, places are neither lost nor invented, and none is withheld", async () => {
  const step = fc.record({
    tenant: fc.constantFrom("a", "b", "c"),
    acts: fc.constantFrom("take", "give", "leave"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { maxLength: 60 }),
      async (places, steps) => {
        const semaphore = new FairSemaphore(places);
        const held: string[] = [];
        const waiting: { tenant: string; abort: AbortController; done: Promise<unknown> }[] = [];
        for (const { tenant, acts } of steps) {
          if (acts === "take") {
            const abort = new AbortController();
            const entry = { tenant, abort, done: Promise.resolve() as Promise<unknown> };
            waiting.push(entry);
            const leave = () => waiting.splice(waiting.indexOf(entry), 1);
            entry.done = semaphore.acquire(tenant, abort.signal).then(() => {
              leave();
              held.push(tenant);
            }, leave);
          } else if (acts === "give" && held.includes(tenant)) {
            held.splice(held.indexOf(tenant), 1);
            semaphore.release(tenant);
          } else if (acts === "leave") {
            waiting.find((one) => one.tenant === tenant)?.abort.abort();
          }
          await new Promise(setImmediate);
          expect(semaphore.free).toBe(places - held.length);
          for (const one of waiting) {
            expect(semaphore.free).toBeLessThanOrEqual(held.filter((each) => each === one.tenant).length);
          }
        }
      },
    ),
  );
});
