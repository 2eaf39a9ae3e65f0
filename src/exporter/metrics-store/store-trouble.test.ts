import { expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { failure } from "./client/read-failure.ts";
import { StoreTrouble } from "./store-trouble.ts";

test("from the first failure until anything is read", () => {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const trouble = new StoreTrouble(clock);
  const startMs = clock.nowMs();
  expect(trouble.get()).toBeUndefined();
  trouble.note(failure("unreachable", "connect ECONNREFUSED"));
  clock.advance(60_000);
  trouble.note(failure("timeout", "no data for 30 s"));
  expect(trouble.get()).toEqual({
    sinceMs: startMs,
    atMs: startMs + 60_000,
    message: "no data for 30 s",
  });
  trouble.note({ kind: "complete" });
  expect(trouble.get()).toBeUndefined();
});

test("a query that is refused says that the store can be read", () => {
  const trouble = new StoreTrouble(new TestClock(Date.UTC(2026, 0, 1)));
  trouble.note(failure("unauthorized", "401"));
  trouble.note(failure("answer_too_large", "-search.maxSeries"));
  expect(trouble.get()).toBeUndefined();
});

test("is forgotten when nothing is read any more, and begins again", () => {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const trouble = new StoreTrouble(clock);
  trouble.note(failure("unreachable", "connect ECONNREFUSED"));
  clock.advance(15 * 60_000);
  expect(trouble.get()).toBeUndefined();
  trouble.note(failure("unreachable", "connect ECONNREFUSED"));
  expect(trouble.get()?.sinceMs).toBe(clock.nowMs());
});
