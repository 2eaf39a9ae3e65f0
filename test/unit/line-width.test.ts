import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";

/**
 * The lines of src/ end at 110 columns. A message or a regular expression is searched for as a whole, so a line
 * that is nothing but one of them may be longer; in tests, which hold tables, the contents of texts do not count.
 */

const columns = 110;

const text = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
const lead = /^\s*[^"'`/]{0,40}(?<!\w)/;
const regex = /^\s*\/(?:[^/\\[]|\\.|\[(?:[^\]\\]|\\.)*\])+\/[a-z]*/;
const tail = /[\s\w(),;:?.[\]]{0,20}$/;
const oneText = new RegExp(`${lead.source}(?:${text.source})${tail.source}`);
const oneRegex = new RegExp(`${regex.source}${tail.source}`);

const root = new URL("../../src/", import.meta.url);
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

function isTooLong(line: string): boolean {
  return line.length > columns && !oneText.test(line) && !oneRegex.test(line);
}

/** A file's source with its texts emptied but for their line breaks. */
function withoutTexts(source: string): string {
  const parts: string[] = [];
  let end = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      parts.push(source.slice(end, node.getStart()), node.getText().replace(/./g, ""));
      end = node.end;
    } else node.forEachChild(visit);
  };
  visit(ts.createSourceFile("test.ts", source, ts.ScriptTarget.Latest, true));
  return parts.join("") + source.slice(end);
}

test("no line is longer than 110 columns", () => {
  const found = files.flatMap((file) => {
    const source = readFileSync(new URL(file, root), "utf8");
    if (!source.split("\n").some(isTooLong)) return [];
    return (file.endsWith(".test.ts") ? withoutTexts(source) : source)
      .split("\n")
      .flatMap((line, index) => (isTooLong(line) ? [`${file}:${index + 1}: ${line}`] : []));
  });
  expect(found).toEqual([]);
});

test("in a test, the contents of texts do not count", () => {
  expect(withoutTexts('test("a", () => `b\n`);')).toBe("test(, () => \n);");
});

const word = "x".repeat(columns);
test.each<[string, string, boolean]>([
  ["a comment", `// ${word}`, true],
  ["code with a text", `const a = first(${word}, "text");`, true],
  ["a message", `  message: "${word}",`, false],
  ["a message as an argument", `throw failure("${word}");`, false],
  ["a regular expression", `  /${word}/i;`, false],
  ["a tagged template", `return html\`${word}\`;`, true],
  ["two texts", `const message = "${word}" + "y";`, true],
])("%s", (_, line, expected) => {
  expect(isTooLong(line)).toBe(expected);
});
