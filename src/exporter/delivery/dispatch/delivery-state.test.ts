import { expect, test } from "vitest";
import { afterFailure, type DeliveryFailure, type DeliveryState, delivering } from "./delivery-state.ts";

const retrying: DeliveryFailure = { kind: "retrying", message: "503" };
const suspended: DeliveryFailure = { kind: "suspended", message: "401" };

function deliveryState(kind: "retrying" | "suspended", times: number): DeliveryState {
  return { kind, times, untilMs: 0, message: "" };
}

test.each([
  { name: "first retry waits the backoff", before: delivering, failure: retrying, times: 1, pauseMs: 5_000 },
  { name: "it doubles", before: deliveryState("retrying", 1), failure: retrying, times: 2, pauseMs: 10_000 },
  {
    name: "up to five minutes",
    before: deliveryState("retrying", 50),
    failure: retrying,
    times: 51,
    pauseMs: 300_000,
  },
  { name: "a suspension starts at 30 s", before: delivering, failure: suspended, times: 1, pauseMs: 30_000 },
  {
    name: "and starts counting over after retries",
    before: deliveryState("retrying", 9),
    failure: suspended,
    times: 1,
    pauseMs: 30_000,
  },
  {
    name: "suspensions end at 5 min",
    before: deliveryState("suspended", 9),
    failure: suspended,
    times: 10,
    pauseMs: 300_000,
  },
  {
    name: "a longer Retry-After wins",
    before: delivering,
    failure: { ...retrying, retryAfterMs: 60_000 },
    times: 1,
    pauseMs: 60_000,
  },
  {
    name: "a shorter one does not",
    before: delivering,
    failure: { ...retrying, retryAfterMs: 1_000 },
    times: 1,
    pauseMs: 5_000,
  },
  {
    name: "an hour is tried again after five minutes",
    before: delivering,
    failure: { ...retrying, retryAfterMs: 3_600_000 },
    times: 1,
    pauseMs: 300_000,
  },
])("$name", ({ before, failure, times, pauseMs }) => {
  const after = afterFailure(before, failure, 5_000, 1_000, 0);
  expect(after).toEqual({ kind: failure.kind, times, untilMs: 1_000 + pauseMs, message: failure.message });
});

test("jitter only adds", () => {
  const after = afterFailure(delivering, retrying, 5_000, 0, 0.999);
  expect(after).toMatchObject({ untilMs: 5_999 });
});
