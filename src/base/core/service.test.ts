import { describe, expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { Releasers, runServices, runStages, type Service } from "./service.ts";

function untilAborted(name: string, ended: string[]): Service {
  return {
    name,
    run: (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          ended.push(name);
          resolve();
        });
      }),
  };
}

describe("runServices", () => {
  test("one that fails stops the others, and its error is the result", async () => {
    const ended: string[] = [];
    const failing: Service = { name: "failing", run: () => Promise.reject(new Error("no port")) };
    const running = runServices([untilAborted("a", ended), failing], new AbortController().signal);
    await expect(running).rejects.toThrow("no port");
    expect(ended).toEqual(["a"]);
  });

  test("an abort is an ordinary end, also where it surfaces as a rejection", async () => {
    const controller = new AbortController();
    const throwing: Service = {
      name: "throwing",
      run: (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
        }),
    };
    const running = runServices([throwing], controller.signal);
    controller.abort(new Error("stop"));
    await expect(running).resolves.toBeUndefined();
  });
});

test("releasers run last in, first out, and one that fails does not keep the others", async () => {
  const order: number[] = [];
  const releasers = new Releasers();
  releasers.push(() => order.push(1));
  releasers.push(() => {
    throw new Error("stuck");
  });
  releasers.push(() => Promise.resolve(order.push(3)));
  await expect(releasers.releaseAll()).rejects.toThrow("releasing resources failed");
  expect(order).toEqual([3, 1]);
});

describe("runStages", () => {
  test("stops the last stage first, and each after the one behind it has ended", async () => {
    const ended: string[] = [];
    const slow: Service = {
      name: "slow",
      run: async (signal) => {
        await untilAborted("asked", ended).run(signal);
        await systemClock.sleep(10, new AbortController().signal);
        ended.push("slow");
      },
    };
    const controller = new AbortController();
    const running = runStages(
      [[untilAborted("ops", ended)], [slow], [untilAborted("reader", ended)]],
      controller.signal,
    );
    controller.abort();
    await running;
    expect(ended).toEqual(["reader", "asked", "slow", "ops"]);
  });

  test("a failure in any stage ends all of them and is the result", async () => {
    const ended: string[] = [];
    const failing: Service = { name: "failing", run: () => Promise.reject(new Error("no port")) };
    const running = runStages([[failing], [untilAborted("exports", ended)]], new AbortController().signal);
    await expect(running).rejects.toThrow("no port");
    expect(ended).toEqual(["exports"]);
  });
});
