import { expect, test } from "vitest";
import { Slots } from "./slots.ts";

const forever = new AbortController().signal;

/** Lets everything run that can. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("no more than the limit at once, first come, first served, also against those who come just then", async () => {
  const slots = new Slots(2);
  const order: number[] = [];
  const take = async (index: number) => {
    await slots.take(forever);
    order.push(index);
  };
  const all = [take(1), take(2), take(3), take(4)];
  await turn();
  expect([order, slots.taken, slots.waiting]).toEqual([[1, 2], 2, 2]);
  slots.release();
  all.push(take(5));
  await turn();
  expect(order).toEqual([1, 2, 3]);
  slots.release();
  slots.release();
  await Promise.all(all);
  expect(order).toEqual([1, 2, 3, 4, 5]);
  slots.release();
  slots.release();
  expect([slots.taken, slots.waiting]).toEqual([0, 0]);
});

test("one who leaves the queue is passed over", async () => {
  const slots = new Slots(1);
  await slots.take(forever);
  const abort = new AbortController();
  const leaving = slots.take(abort.signal);
  const staying = slots.take(forever);
  abort.abort(new Error("left"));
  await expect(leaving).rejects.toThrow("left");
  slots.release();
  await staying;
  expect([slots.taken, slots.waiting]).toEqual([1, 0]);
});

test("a signal that has aborted takes nothing", async () => {
  const slots = new Slots(1);
  await expect(slots.take(AbortSignal.abort(new Error("over")))).rejects.toThrow("over");
  expect(slots.taken).toBe(0);
});
