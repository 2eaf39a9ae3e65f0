import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { systemClock } from "./clock.ts";
import { pause, withEither, withLimit } from "./signals.ts";

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });

test.each([
  ["the first", 0],
  ["the second", 1],
])("%s aborts both, with its reason", async (_, which) => {
  const controllers = [new AbortController(), new AbortController()];
  const signals = controllers.map(({ signal }) => signal);
  const work = withEither(signals, untilAborted);
  controllers[which]?.abort(new Error(`number ${which}`));
  await expect(work).rejects.toThrow(`number ${which}`);
});

test("a signal that has aborted before is seen at once", async () => {
  const work = withEither(
    [new AbortController().signal, AbortSignal.abort(new Error("before"))],
    untilAborted,
  );
  await expect(work).rejects.toThrow("before");
});

test("nothing is left with the signals, however the work ends", async () => {
  const { signal } = new AbortController();
  const listeners = () => getEventListeners(signal, "abort").length;
  const during = await withEither([signal], async () => listeners());
  expect([during, listeners()]).toEqual([1, 0]);
  await expect(withLimit(signal, 60_000, () => Promise.reject(new Error("failed")))).rejects.toThrow(
    "failed",
  );
  expect(listeners()).toBe(0);
});

test("a pause ends by itself, or with one of its signals", async () => {
  const { signal } = new AbortController();
  await pause(systemClock, 1, [signal]);
  await pause(systemClock, 60_000, [signal, AbortSignal.abort()]);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("a limit ends the work with what AbortSignal.timeout would", async () => {
  const expected = await untilAborted(AbortSignal.timeout(1)).catch((error: unknown) => String(error));
  const error = await withLimit(new AbortController().signal, 1, untilAborted).catch(String);
  expect(error).toBe(expected);
});

test("a limit may have a reason of its own", async () => {
  const work = withLimit(new AbortController().signal, 1, untilAborted, () => new Error("too late"));
  await expect(work).rejects.toThrow("too late");
});

test("work that is done in time is not disturbed", async () => {
  expect(await withLimit(new AbortController().signal, 60_000, async (limited) => limited.aborted)).toBe(
    false,
  );
});
