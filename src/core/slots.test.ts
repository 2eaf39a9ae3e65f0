import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

const forever = new AbortController().signal;

/** Lets everything run that can. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("no more than the limit at once, first come, first served, also against those who come just then", async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const take = async (index: number) => {
    await slots.take(String(index % 2), forever);
    order.push(index);
  };
  const all = [take(1), take(2), take(3), take(4)];
  await turn();
  expect([order, slots.taken, slots.waiting]).toEqual([[1, 2], 2, 2]);
  slots.release("1");
  all.push(take(5));
  await turn();
  expect(order).toEqual([1, 2, 3]);
  slots.release("0");
  slots.release("1");
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3, 4, 5]);
  slots.release("0");
  slots.release("1");
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});

test("one who leaves the queue is passed over", async () => {
  const slots = new Slots(1);
  await slots.take("a", forever);
  const abort = new AbortController();
  const leaving = slots.take("a", abort.signal);
  const staying = slots.take("a", forever);
  abort.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  slots.release("a");
  await staying;
  expect([slots.taken, slots.waiting]).toEqual([1, 0]);
});

test("a signal that has aborted takes nothing", async () => {
  const slots = new Slots(1);
  await expect(slots.take("a", AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  expect(slots.taken).toBe(0);
});

test("no owner has all of several places, however many it asks for", async () => {
  const slots = new Slots(3);
  const order: string[] = [];
  const take = async (owner: string) => {
    await slots.take(owner, forever);
    order.push(owner);
  };
  await take("small");
  slots.release("small");
  order.length = 0;
  const large = [take("large"), take("large"), take("large")];
  await turn();
  expect([order, slots.waiting]).toEqual([["large", "large"], 1]);
  await take("small");
  expect(slots.taken).toBe(3);
  const next = take("small");
  slots.release("small");
  await next;
  // The large one waited longer, and still has its share.
  expect(order).toEqual(["large", "large", "small", "small"]);
  slots.release("large");
  await Promise.all(large);
  expect(order.at(-1)).toBe("large");
});

test("who is alone has all places, until somebody else comes", async () => {
  const slots = new Slots(2);
  await slots.take("one", forever);
  await slots.take("one", forever);
  const other = slots.take("other", forever);
  slots.release("one");
  await other;
  slots.release("other");
  slots.release("one");
  // From now on a place is left for the other one.
  await slots.take("one", forever);
  const second = slots.take("one", forever);
  await turn();
  expect([slots.taken, slots.waiting]).toEqual([1, 1]);
  slots.release("one");
  await second;
  slots.release("one");
  slots.forgetIdle();
  await Promise.all([slots.take("one", forever), slots.take("one", forever)]);
  expect([slots.taken, slots.waiting]).toEqual([2, 0]);
});
