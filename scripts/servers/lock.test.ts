import { expect, it } from "vitest";
import { sleep } from "../../src/base/core/clock.ts";
import { withMachineLock } from "./lock.ts";

it("work under one name never overlaps, and a failure releases the lock", async () => {
  const { signal } = new AbortController();
  const name = `test-${process.pid}`;
  let inside = 0;
  let most = 0;
  const work = async (): Promise<void> => {
    inside++;
    most = Math.max(most, inside);
    await sleep(20, signal);
    inside--;
    throw new Error("failed");
  };
  const results = await Promise.allSettled([1, 2, 3].map(() => withMachineLock(name, work, signal)));
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(most).toBe(1);
});

it("waiting for the lock ends with the signal", async () => {
  const stop = new AbortController();
  const name = `test-signal-${process.pid}`;
  await withMachineLock(
    name,
    async () => {
      const waiting = withMachineLock(name, async () => undefined, stop.signal);
      stop.abort(new Error("enough"));
      await expect(waiting).rejects.toThrow("enough");
    },
    new AbortController().signal,
  );
});
