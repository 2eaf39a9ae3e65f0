import { expect, test } from "vitest";
import { parseTime } from "./time.ts";

const nowMs = Date.parse("2026-11-21T12:00:00Z");

test.each([
  ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00.000Z"],
  ["2026-11-21T10:00Z", "2026-11-21T10:00:00.000Z"],
  ["2026-11-21T10:00:00.5+01:00", "2026-11-21T09:00:00.500Z"],
  ["1763719200", "2025-11-21T10:00:00.000Z"],
  ["1763719200.25", "2025-11-21T10:00:00.250Z"],
  ["6h", "2026-11-21T06:00:00.000Z"],
  ["0s", "2026-11-21T12:00:00.000Z"],
])("%s", (text, expected) => {
  expect(new Date(parseTime(text, "--from", nowMs)).toISOString()).toBe(expected);
});

test.each(["", "yesterday", "2026-11-21", "2026-11-21T10:00:00", "2026-13-21T10:00:00Z", "-5"])(
  "%j is refused",
  (text) => {
    expect(() => parseTime(text, "--from", nowMs)).toThrow(`--from: "${text}" is no time; write it like`);
  },
);
