import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root, stops, walkthrough } from "../support/documents/walkthrough.ts";

/** Everything named in docs/walkthrough.md exists: each file, and the class, function or method in it. */

test("there are at most fifteen", () => {
  expect(stops.length).toBeGreaterThan(10);
  expect(stops.length).toBeLessThanOrEqual(15);
  expect(stops).toHaveLength([...walkthrough.matchAll(/^\d+\. /gm)].length);
});

test.each(stops)("$file has $name", ({ file, name }) => {
  const code = readFileSync(new URL(file, root), "utf8");
  expect(code).toMatch(
    new RegExp(`^export (abstract )?(async )?(class|function) ${name}\\b|^  (async )?${name}\\(`, "m"),
  );
});

test("every file that it mentions exists", () => {
  const files = [...walkthrough.matchAll(/`(src\/[^`]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});
