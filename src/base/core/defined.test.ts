import { expect, test } from "vitest";
import { defined } from "./defined.ts";

test("properties that are undefined are left out; the others keep their order", () => {
  const object = defined({ a: 1, b: undefined, c: null, d: "", e: 0, f: false });
  expect(Object.keys(object)).toEqual(["a", "c", "d", "e", "f"]);
  expect(object).toStrictEqual({ a: 1, c: null, d: "", e: 0, f: false });
});
