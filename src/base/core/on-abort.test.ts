import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { sleep, systemClock } from "./clock.ts";
import { runLoop } from "./loop.ts";
import { onAbort } from "./on-abort.ts";

test("callbacks are called once, in order, unless they were forgotten", () => {
  const controller = new AbortController();
  const called: string[] = [];
  onAbort(controller.signal, () => called.push("first"));
  const forget = onAbort(controller.signal, () => called.push("forgotten"));
  onAbort(controller.signal, () => called.push("last"));
  forget();
  controller.abort();
  controller.abort();
  expect(called).toEqual(["first", "last"]);
});

test("a hundred loops and pauses on one signal are one listener, whatever they do", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on("warning", warned);
  const controller = new AbortController();
  const { signal } = controller;
  let ticks = 0;
  const tick = () => {
    ticks++;
    return 1;
  };
  const options = { clock: systemClock, pauseAfterErrorMs: 1, onError: () => undefined };
  const loops = Array.from({ length: 100 }, () => runLoop(tick, options, signal));
  const pauses = Array.from({ length: 100 }, () => sleep(60_000, signal).catch((error: unknown) => error));
  while (ticks < 500) await systemClock.sleep(1, signal);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
  const reason = new Error("over");
  controller.abort(reason);
  await Promise.all(loops);
  expect(new Set(await Promise.all(pauses))).toEqual(new Set([reason]));
  process.off("warning", warned);
  expect(warnings).toEqual([]);
});
