import { expect, test } from "vitest";
import { checkFormat } from "./format-version.ts";

test.each([
  [undefined, true],
  ["", true],
  ["1\n", true],
  ["2", false],
])("%j of 2: has to be written: %s", (found, isToBeWritten) => {
  expect(checkFormat(found, 2, "place", "remedy")).toBe(isToBeWritten);
});

test.each([
  ["3", "format 3"],
  ["2.5", "an unknown format"],
  ["-1", "an unknown format"],
  ["1e9\n", "an unknown format"],
])("%j of 2 is refused", (found, what) => {
  expect(() => checkFormat(found, 2, "place", "remedy")).toThrow(
    `place: the state was written by a newer telemetryd (${what}; this one knows 2): remedy`,
  );
});
