import { expect, test } from "vitest";
import { sleep } from "./clock.ts";

test("sleep rejects with the signal's own reason", async () => {
  const controller = new AbortController();
  const waiting = sleep(60_000, controller.signal);
  const reason = new Error("stopping");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(sleep(1, controller.signal)).rejects.toBe(reason);
});

test("a sleep longer than a timer can hold does not end at once", async () => {
  const controller = new AbortController();
  const outcome = sleep(2 ** 40, controller.signal).then(
    () => "ended",
    () => "aborted",
  );
  await sleep(20, new AbortController().signal);
  controller.abort();
  expect(await outcome).toBe("aborted");
});
