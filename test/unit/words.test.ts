import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Words that a reader of this field stumbles over stay out of src/: in names, comments, messages and help texts. */
const replaced: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(tells?|told|tell)\b/i, "reports, says, names, distinguishes"],
  [/\b(hears?|heard)\b/i, "receives, is reported"],
  [/\bfares?\b/i, "state"],
  [/\b(gives?|gave|given|giving) up\b/i, "aborted, dropped, rejected, failed"],
  [/\b(is|are|was|were) away\b/i, "unavailable"],
  [/\banew\b/i, "again"],
  [/\b(breathe|letOthersRun|endOfTurn)\b/, "yieldToEventLoop"],
  [/\bheedPause\b/, "respectBackoff"],
  [/\b(lane|lanes)\b/i, "partition"],
];

const root = new URL("../../src/", import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (file) => /\.(ts|lua)$/.test(file) && !/\.test\.ts$/.test(file),
);

test.each(replaced)("%s: %s", (words) => {
  const found = files.flatMap((file) =>
    readFileSync(new URL(file, root), "utf8")
      .split("\n")
      .flatMap((line, index) => (words.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [])),
  );
  expect(found).toEqual([]);
});
