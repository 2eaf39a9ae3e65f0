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
  const semaphore = new FairSemaphore(100, "half");
  expect(tenants.map((tenant) => takeAll(semaphore, tenant))).toEqual(expected);
  expect(semaphore.free).toBe(free);
});

test("a single place is given too", async () => {
  const semaphore = new FairSemaphore(1, "half");
  await semaphore.acquire("a", never);
  const order: string[] = [];
  const waits = ["b", "a"].map((tenant) => semaphore.acquire(tenant, never).then(() => order.push(tenant)));
  semaphore.release("a");
  await waits[0];
  semaphore.release("b");
  await waits[1];
  expect(order).toEqual(["b", "a"]);
});

test("tenants take turns, however long the queue of one is; whoever leaves keeps nobody back", async () => {
  const semaphore = new FairSemaphore(2, "half");
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

test("in halves, whatever happens, places are neither lost nor invented, and none is withheld", async () => {
  const step = fc.record({
    tenant: fc.constantFrom("a", "b", "c"),
    acts: fc.constantFrom("take", "give", "leave"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(step, { maxLength: 60 }),
      async (places, steps) => {
        const semaphore = new FairSemaphore(places, "half");
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

/** Runs everything that is ready. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("no more than the limit at once, first come, first served, also against those who come just then", async () => {
  const semaphore = new FairSemaphore(2, "all-but-one");
  const order: number[] = [];
  const take = async (index: number) => {
    await semaphore.acquire(String(index % 2), never);
    order.push(index);
  };
  const all = [take(1), take(2), take(3), take(4)];
  await turn();
  expect([order, semaphore.taken, semaphore.waiting]).toEqual([[1, 2], 2, 2]);
  semaphore.release("1");
  all.push(take(5));
  await turn();
  expect(order).toEqual([1, 2, 3]);
  semaphore.release("0");
  semaphore.release("1");
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3, 4, 5]);
  semaphore.release("0");
  semaphore.release("1");
  expect([semaphore.taken, semaphore.waiting]).toEqual([0, 0]);
});

test("one who leaves the queue is passed over", async () => {
  const semaphore = new FairSemaphore(1, "all-but-one");
  await semaphore.acquire("a", never);
  const abort = new AbortController();
  const leaving = semaphore.acquire("a", abort.signal);
  const staying = semaphore.acquire("a", never);
  abort.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  semaphore.release("a");
  await staying;
  expect([semaphore.taken, semaphore.waiting]).toEqual([1, 0]);
});

test("a signal that has aborted takes nothing", async () => {
  const semaphore = new FairSemaphore(1, "all-but-one");
  await expect(semaphore.acquire("a", AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  expect(semaphore.taken).toBe(0);
});

test("no owner has all of several places, however many it asks for", async () => {
  const semaphore = new FairSemaphore(3, "all-but-one");
  const order: string[] = [];
  const take = async (owner: string) => {
    await semaphore.acquire(owner, never);
    order.push(owner);
  };
  await take("small");
  semaphore.release("small");
  order.length = 0;
  const large = [take("large"), take("large"), take("large")];
  await turn();
  expect([order, semaphore.waiting]).toEqual([["large", "large"], 1]);
  await take("small");
  expect(semaphore.taken).toBe(3);
  const next = take("small");
  semaphore.release("small");
  await next;
  // The large owner waited longer and still gets its share.
  expect(order).toEqual(["large", "large", "small", "small"]);
  semaphore.release("large");
  await Promise.all(large);
  expect(order.at(-1)).toBe("large");
});

test("who is alone has all places, until somebody else comes", async () => {
  const semaphore = new FairSemaphore(2, "all-but-one");
  await semaphore.acquire("one", never);
  await semaphore.acquire("one", never);
  const other = semaphore.acquire("other", never);
  semaphore.release("one");
  await other;
  semaphore.release("other");
  semaphore.release("one");
  // From now on one place is left for the other owner.
  await semaphore.acquire("one", never);
  const second = semaphore.acquire("one", never);
  await turn();
  expect([semaphore.taken, semaphore.waiting]).toEqual([1, 1]);
  semaphore.release("one");
  await second;
  semaphore.release("one");
  semaphore.forgetIdle();
  await Promise.all([semaphore.acquire("one", never), semaphore.acquire("one", never)]);
  expect([semaphore.taken, semaphore.waiting]).toEqual([2, 0]);
});

test("all but one: a long queue of one owner is no delay for another, and idle owners make room at once", async () => {
  const semaphore = new FairSemaphore(2, "all-but-one");
  const order: string[] = [];
  const take = async (owner: string) => {
    await semaphore.acquire(owner, never);
    order.push(owner);
  };
  await take("other");
  const all = [take("busy"), take("busy"), take("busy"), take("late")];
  semaphore.release("other");
  await turn();
  expect(order).toEqual(["other", "busy", "late"]);
  semaphore.release("late");
  await turn();
  expect([semaphore.taken, semaphore.waiting]).toEqual([1, 2]);
  semaphore.forgetIdle();
  await turn();
  expect([semaphore.taken, semaphore.waiting]).toEqual([2, 1]);
  semaphore.release("busy");
  await Promise.all(all);
});
