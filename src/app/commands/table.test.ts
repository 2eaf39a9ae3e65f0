import { expect, test } from "vitest";
import { printable, renderTable } from "./table.ts";

test("columns line up, and no line ends in spaces", () => {
  expect(
    renderTable(
      ["NAME", "AGE"],
      [
        ["a-long-name", "5m"],
        ["b", ""],
      ],
    ),
  ).toBe("NAME          AGE\na-long-name   5m\nb\n");
});

test.each([
  ["two\nlines\r\nand\ttab", "two lines and tab"],
  ["\u001b[31mred\u001b[0m", "\uFFFD[31mred\uFFFD[0m"],
  ["a\u202Eb\u2066c", "a\uFFFDb\uFFFDc"],
  ["größe 大きさ 🙂", "größe 大きさ 🙂"],
])("printable(%j)", (text, expected) => {
  expect(printable(text)).toBe(expected);
});
