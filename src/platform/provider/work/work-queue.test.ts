import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { until } from "../../../../test/support/until.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { WorkQueue } from "./work-queue.ts";

test("the pause doubles with each failure after a pause, not with changes meanwhile", async () => {
  const clock = new TestClock(0);
  const pauses: number[] = [];
  let isFailing = true;
  const queue = new WorkQueue({
    places: 1,
    async work() {
      if (isFailing) throw new Error("the server is away");
      return undefined;
    },
    onFailure: (_lane, _key, _error, retryMs) => pauses.push(retryMs),
    ...{ clock, log: silentLogger, random: () => 0 },
  });
  const stop = new AbortController();
  const running = queue.run(stop.signal);
  const failsNext = async (step: () => void): Promise<number | undefined> => {
    const before = pauses.length;
    step();
    await until("it has failed again", () => pauses.length > before);
    return pauses.at(-1);
  };
  const change = () => queue.add("shop", "instance web-0");
  const next: (number | undefined)[] = [];
  const [wait1, wait2, wait4] = [1_000, 2_000, 4_000].map((ms) => () => clock.advance(ms));
  for (const step of [change, change, change, wait1, change, wait2, wait4]) {
    if (step !== undefined) next.push(await failsNext(step));
  }
  expect(next).toEqual([1_000, 1_000, 1_000, 2_000, 2_000, 4_000, 8_000]);
  isFailing = false;
  change();
  await until("it is done", () => queue.snapshot().failing === 0 && queue.snapshot().running === 0);
  isFailing = true;
  expect(await failsNext(change)).toBe(1_000);
  stop.abort();
  await running;
});
