import { expect, test } from "vitest";
import { TerminalText } from "./terminal-text.ts";

test.each([
  ["a\tb\r\nc\n", "a\tb\nc\n"],
  ["\u001b[2Jx", "\uFFFD[2Jx"],
  ["a\rb", "a\uFFFDb"],
  ["\u202Eabc\u0000", "\uFFFDabc\uFFFD"],
  ["f\u00e9\ud83d\ude00", "f\u00e9\ud83d\ude00"],
])("%j is shown as %j", (text, shown) => {
  expect(new TerminalText().of(Buffer.from(text))).toBe(shown);
});

test("a character in two pieces is one", () => {
  const text = new TerminalText();
  const bytes = Buffer.from("\u00e9");
  expect(text.of(bytes.subarray(0, 1)) + text.of(bytes.subarray(1))).toBe("\u00e9");
});
