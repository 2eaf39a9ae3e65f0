import { expect, test } from "vitest";
import type { ReadFailureReason } from "../client/read-failure.ts";
import { ExemplarPauses } from "./exemplar-pauses.ts";

const minuteMs = 60_000;

test.each<[ReadFailureReason, number, boolean]>([
  ["bad_request", 1, true],
  ["timeout", 1, true],
  ["tenant_violation", 1, true],
  ["not_found", 10, false],
  ["unauthorized", 10, false],
])("%s is followed by a pause of %i min, others may ask: %s", (reason, minutes, othersMay) => {
  const pauses = new ExemplarPauses();
  pauses.failed("a", reason, 0);
  expect(pauses.mayAsk("a", minutes * minuteMs - 1)).toBe(false);
  expect(pauses.mayAsk("a", minutes * minuteMs)).toBe(true);
  expect(pauses.mayAsk("b", 1)).toBe(othersMay);
});

test("pauses double up to ten minutes, until a success", () => {
  const pauses = new ExemplarPauses();
  let nowMs = 0;
  for (const minutes of [1, 2, 4, 8, 10, 10]) {
    pauses.failed("a", "timeout", nowMs);
    expect(pauses.mayAsk("a", nowMs + minutes * minuteMs - 1)).toBe(false);
    nowMs += minutes * minuteMs;
    expect(pauses.mayAsk("a", nowMs)).toBe(true);
  }
  expect(pauses.isFailing).toBe(true);
  pauses.succeeded("a");
  expect(pauses.isFailing).toBe(false);
  pauses.failed("a", "timeout", nowMs);
  expect(pauses.mayAsk("a", nowMs + minuteMs)).toBe(true);
});

test("three owners without a success in between are the store's fault, one alone never", () => {
  const pauses = new ExemplarPauses();
  for (let n = 0; n < 5; n++) pauses.failed("a", "timeout", n);
  expect(pauses.mayAsk("b", 5)).toBe(true);
  pauses.failed("b", "timeout", 5);
  pauses.failed("c", "timeout", 6);
  expect(pauses.mayAsk("d", 7)).toBe(false);
});
