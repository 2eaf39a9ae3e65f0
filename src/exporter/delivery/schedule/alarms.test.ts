import fc from "fast-check";
import { expect, test } from "vitest";
import type { Clock } from "../../../base/core/clock.ts";
import { Alarms } from "./alarms.ts";

/** Each sleep jumps to its end, or to the next scheduled event. */
class JumpingClock implements Clock {
  ms = 0;
  #nextMs = Infinity;

  nowMs(): number {
    return this.ms;
  }

  monotonicMs(): number {
    return this.ms;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    await Promise.resolve();
    signal.throwIfAborted();
    this.#nextMs = this.ms + ms;
    await new Promise((_, reject) => {
      this.#wake = () => reject(new Error("over"));
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  }
  #wake: () => void = () => undefined;

  async until(ms: number): Promise<void> {
    for (;;) {
      await settled();
      if (this.#nextMs > ms) break;
      this.ms = Math.max(this.ms, this.#nextMs);
      this.#nextMs = Infinity;
      this.#wake();
    }
    this.ms = ms;
  }
}

/** Lets all pending promises settle. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

test("each rings once, when it is due, whatever the order in which they were set and taken back", async () => {
  const alarm = fc.record({
    atMs: fc.integer({ min: 0, max: 500 }),
    afterMs: fc.integer({ min: 0, max: 500 }),
    isCancelled: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(alarm, { maxLength: 60 }), async (wanted) => {
      const clock = new JumpingClock();
      const alarms = new Alarms(clock);
      const end = new AbortController();
      const running = alarms.run(end.signal);
      const rung: [number, number][] = [];
      const inOrder = wanted.map((each, index) => ({ ...each, index })).toSorted((a, b) => a.atMs - b.atMs);
      for (const { atMs, afterMs, isCancelled, index } of inOrder) {
        await clock.until(atMs);
        const set = alarms.set(afterMs, { wake: () => rung.push([index, clock.ms]) });
        if (isCancelled) set.cancel();
      }
      await clock.until(2_000);
      end.abort();
      await running;
      const expected = wanted.flatMap(({ atMs, afterMs, isCancelled }, index) =>
        isCancelled ? [] : [[index, atMs + afterMs]],
      );
      const late = rung.map(([index, ms]) => ms - (wanted[index]!.atMs + wanted[index]!.afterMs));
      expect(rung.map(([index]) => index).toSorted()).toEqual(expected.map(([index]) => index).toSorted());
      for (const ms of late) expect([0, 1]).toContain(ms);
    }),
    { numRuns: 100 },
  );
});

test("nothing rings once the signal has aborted", async () => {
  const clock = new JumpingClock();
  const alarms = new Alarms(clock);
  const end = new AbortController();
  const running = alarms.run(end.signal);
  alarms.set(10, { wake: () => expect.unreachable() });
  await settled();
  end.abort();
  await running;
  await clock.until(100);
});
