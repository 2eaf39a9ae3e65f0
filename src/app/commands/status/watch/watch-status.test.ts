import { expect, test } from "vitest";
import { busyDaemon } from "../../../../../test/support/daemon/daemon-status.ts";
import { TestClock } from "../../../../../test/support/test-clock.ts";
import { TelemetrydError } from "../../../../base/core/errors.ts";
import { watchStatus } from "./watch-status.ts";

test("a failure is shown and the next attempt follows, until the signal aborts", async () => {
  const status = busyDaemon(1, 0);
  const responses = [
    () => status,
    () => {
      throw new TelemetrydError("UNREACHABLE", "nobody there");
    },
    () => status,
  ];
  const clock = new TestClock(5);
  const controller = new AbortController();
  const shown: unknown[] = [];
  const view = {
    show: (each: unknown, nowMs: number) => shown.push([each, nowMs]),
    fail: (reason: string, nowMs: number) => shown.push([reason, nowMs]),
  };
  const fetch = async () => {
    const response = responses.shift();
    if (response !== undefined) return response();
    controller.abort();
    throw new Error("aborted");
  };
  await watchStatus(fetch, view, 2_000, clock, controller.signal);
  expect(shown).toEqual([
    [status, 5],
    ["nobody there", 5],
    [status, 5],
  ]);
  expect(clock.pauses).toEqual([2_000, 2_000, 2_000]);
});
