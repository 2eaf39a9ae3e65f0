import { expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { until } from "../../../test/support/until.ts";
import { silentLogger } from "../log/log.ts";
import { RedisPulse } from "./pulse.ts";

test("an outage begins with the second failure in a row, once, and ends with the first reply", async () => {
  const clock = new TestClock(1_000);
  const pings = [true, false, true, false, false, false, true, false, false];
  const seen: string[] = [];
  const pulse = new RedisPulse(clock, silentLogger, () => seen.push("begins"));
  const stop = new AbortController();
  const ping = () => {
    seen.push(pulse.outage() === undefined ? "responds" : "outage");
    const isResponding = pings.shift();
    if (pings.length === 0) stop.abort();
    return isResponding ? Promise.resolve("PONG") : Promise.reject(new Error("Command timed out"));
  };
  await pulse.run({ ping }, stop.signal);
  await until("the last reply is noted", () => pulse.outage() !== undefined);
  expect(seen).toEqual([
    ...["responds", "responds", "responds", "responds", "responds", "begins"],
    ...["outage", "outage", "responds", "responds", "begins"],
  ]);
  expect(pulse.outage()).toEqual({ reason: "Redis does not respond", sinceMs: 1_000 });
  expect(new Set(clock.pauses)).toEqual(new Set([500]));
});

test.each([
  ["times out", 500, 1_500],
  ["fails at once", 0, 1_000],
])(
  "a ping that %s: the outage is noticed so long after the last reply, at the latest",
  async (_, takesMs, noticedMs) => {
    const clock = new TestClock(0);
    const stop = new AbortController();
    let pings = 0;
    let spentMs = 0;
    const ping = () => {
      if (pings++ === 0) return Promise.resolve("PONG");
      clock.advance(takesMs);
      spentMs += takesMs;
      return Promise.reject(new Error("Command timed out"));
    };
    await new RedisPulse(clock, silentLogger, () => stop.abort()).run({ ping }, stop.signal);
    // The pause after the last ping is not part of it.
    const paused = clock.pauses.slice(0, 2).reduce((sum, ms) => sum + ms, 0);
    expect([pings, spentMs + paused]).toEqual([3, noticedMs]);
  },
);
