import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** `.ci/run` with sections of its own in place of the long ones. */

const file = fileURLToPath(new URL("../../.ci/run", import.meta.url));
const text = readFileSync(file, "utf8");
const functions = text.slice(0, text.indexOf('section "npm ci"'));
const end = text.slice(text.indexOf("# Once more, where a reader"));

function run(sections: string): { readonly status: number | null; readonly lines: string[] } {
  const script = `${functions}\n${sections}\n${end}`;
  const { status, stdout } = spawnSync("bash", ["-c", script, file], { encoding: "utf8" });
  return { status, lines: stdout.trimEnd().split("\n") };
}

test("sections that pass, one after another and side by side, are counted", () => {
  const { status, lines } = run(
    'one() { section "a" 5 true; }\ntwo() { section "b" 5 true; }\nsection "c" 5 true\nside_by_side one two',
  );
  expect([status, lines.at(-1)]).toEqual([0, "3 passed, 0 failed"]);
});

test("a list waits for what another one makes", () => {
  const { status, lines } = run(
    'one() { await "$work/made"; section "a" 5 test -e "$work/made"; }\ntwo() { section "b" 5 touch "$work/made"; }\nside_by_side one two',
  );
  expect([status, lines.at(-1)]).toEqual([0, "2 passed, 0 failed"]);
});

test.each([
  ["fails", 'section "x" 5 false', "0 passed, 1 failed"],
  ["hangs", 'section "x" 1 sleep 60', "0 passed, 1 failed"],
  [
    "fails side by side",
    'one() { section "x" 5 false; section "y" 5 true; }\nside_by_side one',
    "1 passed, 1 failed",
  ],
  ["ends its list", 'one() { kill -KILL "$BASHPID"; }\nside_by_side one', "0 passed, 1 failed"],
  ["does not fit", 'section "y" 5 true\nfits "x" 99999 || false\nfalse', "1 passed, 0 failed, 1 skipped"],
])("a section that %s is counted", (_, sections, expected) => {
  const { status, lines } = run(sections);
  expect(lines.at(-1)).toBe(expected);
  expect(status).toBe(expected.includes(" 0 failed") ? 0 : 1);
});

test("every list of sections is run, once", () => {
  const sections = text.slice(functions.length);
  const lists = [...sections.matchAll(/^(\w+)\(\) \{$/gm)].map(([, list]) => list);
  const ran = [...sections.matchAll(/^side_by_side (.+)$/gm)].flatMap(([, names = ""]) => names.split(" "));
  expect(lists.length).toBeGreaterThan(3);
  expect(ran.sort()).toEqual(lists.sort());
});

test("what fits is the section after it", () => {
  const fits = [...text.matchAll(/fits ("[^"]+") \d+ &&\n +\w+ ("[^"]+") \d+ /g)];
  expect(fits.length).toBeGreaterThan(15);
  for (const [, asked, section] of fits) expect(section).toBe(asked);
});
