import fc from "fast-check";
import { expect, test } from "vitest";
import { characterCount } from "./character-count.ts";

test("counts as many characters as iteration gives", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom("a", "é", "😀", "\ud83d", "\ude00") }), (text) => {
      expect(characterCount(text)).toBe([...text].length);
    }),
  );
});
