import fc from "fast-check";
import { expect, test } from "vitest";
import { type LaneChoice, Lanes } from "./partitions.ts";

test("a lane is serial and in order; a task of all lanes is alone", async () => {
  const choice = fc.oneof(fc.nat(3), fc.constant<LaneChoice>("all"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(choice, { maxLength: 30 }),
      fc.infiniteStream(fc.nat(3)),
      async (choices, turns) => {
        const lanes = new Lanes(4);
        const running = new Set<LaneChoice>();
        const finished: number[] = [];
        choices.forEach((lane, index) => {
          lanes.add(lane, async () => {
            expect(running.has(lane) || running.has("all")).toBe(false);
            if (lane === "all") expect(running.size).toBe(0);
            running.add(lane);
            const wait = turns.next().value ?? 0;
            for (let turn = 0; turn < wait; turn++) await Promise.resolve();
            running.delete(lane);
            finished.push(index);
          });
        });
        await lanes.drained();
        expect(finished.length).toBe(choices.length);
        for (let lane = 0; lane < 4; lane++) {
          const inLane = finished.filter((index) => choices[index] === lane || choices[index] === "all");
          expect(inLane).toEqual([...inLane].sort((a, b) => a - b));
        }
      },
    ),
    { numRuns: 100 },
  );
});

test("an error of a task is reported, and the others run", async () => {
  const lanes = new Lanes(1);
  let ran = false;
  lanes.add(0, () => Promise.reject(new Error("broken")));
  lanes.add(0, () => {
    ran = true;
    return Promise.resolve();
  });
  await expect(lanes.drained()).rejects.toThrow("broken");
  expect(ran).toBe(true);
});

test("drained waits for what a task follows, and reports its error; the lane does not wait", async () => {
  const lanes = new Lanes(1);
  let finish = () => {};
  let next = false;
  lanes.add(0, () => {
    lanes.follow(
      new Promise((_, reject) => {
        finish = () => reject(new Error("not written"));
      }),
    );
    return Promise.resolve();
  });
  lanes.add(0, () => {
    next = true;
    return Promise.resolve();
  });
  let isDrained = false;
  const drained = lanes.drained().finally(() => {
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
  const lanes = new Lanes(2);
  const ends: Array<(error?: Error) => void> = [];
  for (let index = 0; index < 4; index++) {
    lanes.add(index, () => new Promise((resolve, reject) => ends.push((e) => (e ? reject(e) : resolve()))));
  }
  let isFew = false;
  void lanes.drainedTo(2).then(() => {
    isFew = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  ends[0]?.(new Error("broken"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFew).toBe(false);
  ends[1]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isFew).toBe(true);
  await lanes.drainedTo(2);
  ends[2]?.();
  ends[3]?.();
  await expect(lanes.drained()).rejects.toThrow("broken");
});
