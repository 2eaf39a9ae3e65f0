import { expect, test } from "vitest";
import { printPath, valueAt } from "./document-path.ts";

test.each([
  [[], ""],
  [["spec", "sinks", 0, "name"], "spec.sinks[0].name"],
  [["metadata", "annotations", "example.com/paused"], "metadata.annotations[example.com/paused]"],
  [["headers", "X-Scope-OrgID"], "headers.X-Scope-OrgID"],
])("%j prints as %s", (path, text) => {
  expect(printPath(path)).toBe(text);
});

test("valueAt finds own members only", () => {
  const root = { a: [{ b: 1 }], n: null };
  expect(valueAt(root, ["a", 0, "b"])).toBe(1);
  expect(valueAt(root, ["n", "x"])).toBeUndefined();
  expect(valueAt(root, ["constructor"])).toBeUndefined();
  expect(valueAt(root, [])).toBe(root);
});
