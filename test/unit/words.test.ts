import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/**
 * Words that a reader of this field stumbles over stay out of src/ (names, comments, messages and help texts), of the
 * documents and of the titles of tests.
 */
const replaced: readonly (readonly [words: RegExp, instead: string])[] = [
  [/\b(tells?|told|tell)\b/i, "reports, says, names, distinguishes"],
  [/\b(hears?|heard)\b/i, "receives, is reported"],
  [/\bfares?\b/i, "state"],
  [/\b(gives?|gave|given|giving) up\b/i, "aborted, dropped, rejected, failed"],
  [/\b(is|are|was|were) away\b/i, "unavailable"],
  [/\banew\b/i, "again"],
  [/\banswer(s|ed|ing)?\b/i, "response, responds"],
  [/\b(breathe|letOthersRun|endOfTurn)\b/, "yieldToEventLoop"],
  [/\bheedPause\b/, "respectBackoff"],
  [/\b(lane|lanes)\b/i, "partition"],
];

const root = fileURLToPath(new URL("../../", import.meta.url));
const under = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file));
const read = (file: string): string => readFileSync(join(root, file), "utf8");

interface Place {
  readonly place: string;
  readonly text: string;
}

function linesOf(file: string): Place[] {
  return read(file)
    .split("\n")
    .map((line, index) => ({ place: `${file}:${index + 1}`, text: line.trim() }));
}

const isTest = (file: string): boolean => /\.test\.ts$/.test(file);
/** The title of a test or a group of tests, also behind the rows of `test.each`. */
const title = /(?:\b(?:test|describe)(?:\.\w+)*|\))\(\s*("(?:[^"\\\n]|\\.)*"|`[^`]*`)/g;

function titlesOf(file: string): Place[] {
  return [...read(file).matchAll(title)].map(([, text = ""]) => ({ place: file, text }));
}

const documents = readdirSync(root)
  .filter((file) => file.endsWith(".md"))
  .concat(["docs", "config", "src"].flatMap(under).filter((file) => file.endsWith(".md")));
const texts = [
  ...under("src").filter((file) => /\.(ts|lua)$/.test(file) && !isTest(file)),
  ...documents,
].flatMap(linesOf);
const titles = ["src", "scripts", "test"].flatMap(under).filter(isTest).flatMap(titlesOf);

test("titles are found", () => {
  expect(titles.length).toBeGreaterThan(2_000);
  expect(titles.map(({ text }) => text)).toContain('"titles are found"');
});

test.each(replaced)("%s: %s", (words) => {
  const found = [...texts, ...titles].filter(({ text }) => words.test(text));
  expect(found.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
});
