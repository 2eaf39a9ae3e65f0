import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

const now = "Fri, 21 Nov 2025 10:00:00 GMT";
const nowMs = Date.parse(now);

test.each<[string | undefined, string | undefined, number | undefined]>([
  [undefined, undefined, undefined],
  ["0", undefined, 0],
  ["120", undefined, 120_000],
  [" 5 ", undefined, 5_000],
  ["86400", undefined, 3_600_000],
  ["9".repeat(400), undefined, 3_600_000],
  ["1.5", undefined, undefined],
  ["-3", undefined, undefined],
  ["soon", undefined, undefined],
  ["", undefined, undefined],
  ["Fri, 21 Nov 2025 10:01:30 GMT", undefined, 90_000],
  ["Fri, 21 Nov 2025 09:00:00 GMT", undefined, 0],
  // The receiver's clock is an hour behind ours: its own Date counts.
  ["Fri, 21 Nov 2025 09:00:10 GMT", "Fri, 21 Nov 2025 09:00:00 GMT", 10_000],
  ["Fri, 21 Nov 2025 10:00:10 GMT", "nonsense", 10_000],
  ["Fri, 99 Nov 2025 10:00:10 GMT", undefined, undefined],
  ["Fri, 21 Nov 2025 09:00:10 GMT", " Fri, 21 Nov 2025 09:00:00 GMT ", 10_000],
  ["On Fri, 21 Nov 2025 10:01:30 GMT", undefined, undefined],
  ["Fri, 21 Nov 2025 10:01:30 GMT+0100", undefined, undefined],
  ["2025-11-21T10:01:30Z", undefined, undefined],
])("Retry-After %j with Date %j is %j ms", (value, date, expected) => {
  expect(retryAfterMs(value, date, nowMs)).toBe(expected);
});
