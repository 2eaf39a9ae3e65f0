import fc from "fast-check";
import { expect, test } from "vitest";
import { type PartitionChoice, Partitions } from "./partitions.ts";

test("a partition is serial and in order; a task of all partitions is alone", async () => {
  const choice = fc.oneof(fc.nat(3), fc.constant<PartitionChoice>("all"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(choice, { maxLength: 30 }),
      fc.infiniteStream(fc.nat(3)),
      async (choices, turns) => {
        const partitions = new Partitions(4);
        const running = new Set<PartitionChoice>();
        const finished: number[] = [];
        choices.forEach((partition, index) => {
          partitions.add(partition, async () => {
            expect(running.has(partition) || running.has("all")).toBe(false);
            if (partition === "all") expect(running.size).toBe(0);
            running.add(partition);
            const wait = turns.next().value ?? 0;
            for (let turn = 0; turn < wait; turn++) await Promise.resolve();
            running.delete(partition);
            finished.push(index);
          });
        });
        await partitions.drained();
        expect(finished.length).toBe(choices.length);
        for (let partition = 0; partition < 4; partition++) {
          const inPartition = finished.filter(
            (index) => choices[index] === partition || choices[index] === "all",
          );
          expect(inPartition).toEqual([...inPartition].sort((a, b) => a - b));
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("an error of a task is reported, and the others run", async () => {
  const partitions = new Partitions(1);
  let ran = false;
  partitions.add(0, () => Promise.reject(new Error("broken")));
  partitions.add(0, () => {
    ran = true;
    return Promise.resolve();
  });
  await expect(partitions.drained()).rejects.toThrow("broken");
  expect(ran).toBe(true);
});

test("drained waits for what a task follows, and reports its error; the partition does not wait", async () => {
  const partitions = new Partitions(1);
  let finish = () => {};
  let next = false;
  partitions.add(0, () => {
    partitions.follow(
      new Promise((_, reject) => {
        finish = () => reject(new Error("not written"));
      }),
    );
    return Promise.resolve();
  });
  partitions.add(0, () => {
    next = true;
    return Promise.resolve();
  });
  let isDrained = false;
  const drained = partitions.drained().finally(() => {
    isDrained = true;
  });
  drained.catch(() => undefined);
  await new Promise((resolve) => setImmediate(resolve));
  expect(next).toBe(true);
  expect(isDrained).toBe(false);
  finish();
  await expect(drained).rejects.toThrow("not written");
});

test("drainedTo resolves when that many tasks are left, whatever becomes of the others", async () => {
  const partitions = new Partitions(2);
  const ends: Array<(error?: Error) => void> = [];
  for (let index = 0; index < 4; index++) {
    partitions.add(
      index,
      () => new Promise((resolve, reject) => ends.push((e) => (e ? reject(e) : resolve()))),
    );
  }
  let isFew = false;
  void partitions.drainedTo(2).then(() => {
    isFew = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  ends[0]?.(new Error("broken"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFew).toBe(false);
  ends[1]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFew).toBe(true);
  await partitions.drainedTo(2);
  ends[2]?.();
  ends[3]?.();
  await expect(partitions.drained()).rejects.toThrow("broken");
});
