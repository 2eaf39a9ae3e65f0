import { expect, test } from "vitest";
import { parseExpiry } from "./token.ts";

const nowMs = Date.parse("2026-11-27T12:00:00Z");

test.each<[string, string | undefined]>([
  ["never", undefined],
  ["90d", "2027-02-25T12:00:00.000Z"],
  ["12h", "2026-11-28T00:00:00.000Z"],
  ["2027-01-31", "2027-01-31T00:00:00.000Z"],
  ["2027-01-31T12:30Z", "2027-01-31T12:30:00.000Z"],
])("a token expires %s: %s", (text, expected) => {
  expect(parseExpiry(text, nowMs)).toBe(expected);
});

test.each(["0d", "-1h", "2026-11-27", "2027-02-31T99:00Z", "soon", "", "999999d", "90", "2027-01-31T12:30"])(
  "%j is no expiry",
  (text) => {
    expect(() => parseExpiry(text, nowMs)).toThrow(/^--expires: ".*" must be in the future/);
  },
);
