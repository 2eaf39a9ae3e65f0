import { expect, test } from "vitest";
import { afterSetback, delivering, type Setback, type Standing } from "./standing.ts";

const retrying: Setback = { kind: "retrying", message: "503" };
const suspended: Setback = { kind: "suspended", message: "401" };

function standing(kind: "retrying" | "suspended", times: number): Standing {
  return { kind, times, untilMs: 0, message: "" };
}

test.each([
  { name: "first retry waits the backoff", before: delivering, setback: retrying, times: 1, pauseMs: 5_000 },
  { name: "it doubles", before: standing("retrying", 1), setback: retrying, times: 2, pauseMs: 10_000 },
  {
    name: "up to five minutes",
    before: standing("retrying", 50),
    setback: retrying,
    times: 51,
    pauseMs: 300_000,
  },
  { name: "a suspension starts at 30 s", before: delivering, setback: suspended, times: 1, pauseMs: 30_000 },
  {
    name: "and counts anew after retries",
    before: standing("retrying", 9),
    setback: suspended,
    times: 1,
    pauseMs: 30_000,
  },
  {
    name: "suspensions end at 5 min",
    before: standing("suspended", 9),
    setback: suspended,
    times: 10,
    pauseMs: 300_000,
  },
  {
    name: "a longer Retry-After wins",
    before: delivering,
    setback: { ...retrying, retryAfterMs: 60_000 },
    times: 1,
    pauseMs: 60_000,
  },
  {
    name: "a shorter one does not",
    before: delivering,
    setback: { ...retrying, retryAfterMs: 1_000 },
    times: 1,
    pauseMs: 5_000,
  },
  {
    name: "an absurd one is bounded",
    before: delivering,
    setback: { ...retrying, retryAfterMs: 1e9 },
    times: 1,
    pauseMs: 3_600_000,
  },
])("$name", ({ before, setback, times, pauseMs }) => {
  const after = afterSetback(before, setback, 5_000, 1_000, 0);
  expect(after).toEqual({ kind: setback.kind, times, untilMs: 1_000 + pauseMs, message: setback.message });
});

test("jitter only adds", () => {
  const after = afterSetback(delivering, retrying, 5_000, 0, 0.999);
  expect(after).toMatchObject({ untilMs: 5_999 });
});
