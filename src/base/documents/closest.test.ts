import { describe, expect, test } from "vitest";
import { closest, knownInstead, suggestion } from "./closest.ts";

const keys = ["interval", "delay", "expressionDelay", "url", "tls"];

describe("closest", () => {
  test.each([
    ["intervall", "interval"],
    ["intreval", "interval"],
    ["Interval", "interval"],
    ["expressiondelay", "expressionDelay"],
    ["ulr", "url"],
    ["uri", "url"],
    ["timeout", undefined],
    ["x", undefined],
    ["", undefined],
    ["u", undefined],
  ])("%s -> %s", (word, expected) => {
    expect(closest(word, keys)).toBe(expected);
  });
});

test("a suggestion is put behind a message", () => {
  expect(suggestion("dealy", keys)).toBe(' (did you mean "delay"?)');
  expect(suggestion("nothing", keys)).toBe("");
  expect(suggestion("i".repeat(1_000_000), keys)).toBe("");
});

test("what is known is listed where nothing is near", () => {
  expect(knownInstead("dealy", keys)).toBe(' (did you mean "delay"?)');
  expect(knownInstead("timeout", ["url", "tls"])).toBe("; known here: url, tls");
  expect(knownInstead("timeout", [])).toBe("");
});
