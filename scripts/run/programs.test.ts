import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { commandsFor, programs, type Script } from "./programs.ts";

const root = resolve(import.meta.dirname, "../..");
const scripts = Object.keys(programs) as Script[];

test.each(scripts)("the files of %s are there", (script) => {
  const files = Object.values(programs[script]).flatMap(([command]) => command.match(/\S+\/\S+/g) ?? []);
  expect(files.length).toBeGreaterThan(4);
  expect(files.filter((file) => !existsSync(resolve(root, file)))).toEqual([]);
});

test("every benchmark has a name", () => {
  const commands = Object.values(programs.bench).map(([command]) => command.split("/").at(-1));
  const files = readdirSync(resolve(root, "bench")).filter((file) => /^[a-z-]+\.ts$/.test(file));
  const others = ["all.ts", "export-body.ts", "floor.ts", "report.ts"];
  expect(commands.toSorted()).toEqual(
    ["all.ts", ...files.filter((file) => !others.includes(file))].toSorted(),
  );
});

test("generate runs all in their order without a name, and one with it", () => {
  expect(commandsFor("generate", undefined)).toHaveLength(Object.keys(programs.generate).length);
  expect(commandsFor("generate", "crd")).toEqual([programs.generate.crd[0]]);
});

test.each([undefined, "equalty", "--help", "toString"])("prove -- %s lists the names", (name) => {
  const list = commandsFor("prove", name);
  expect(list).toContain(`  equality           ${programs.prove.equality[1]}\n`);
  expect(String(list).includes("unknown name")).toBe(name !== undefined && !name.startsWith("-"));
});

test.each([
  [["prove"], 2, /Usage: npm run prove/],
  [["bench", "nothing"], 2, /unknown name nothing/],
])("run.ts %j ends with %d", (args, status, text) => {
  const command = ["--import", "tsx", resolve(import.meta.dirname, "run.ts"), ...args];
  const ended = spawnSync(process.execPath, command, { encoding: "utf8", cwd: root });
  expect([ended.status, ended.stderr]).toEqual([status, expect.stringMatching(text)]);
});

test("documents name programs that are there", () => {
  const documents = [
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "bench/RESULTS.md",
    ".ci/run",
  ];
  const folder = resolve(root, "docs");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".md"),
  );
  const texts = [
    ...documents.map((name) => resolve(root, name)),
    ...files.map((name) => resolve(folder, name)),
  ].map((file) => readFileSync(file, "utf8"));
  const named = texts.flatMap((text) => [
    ...text.matchAll(/npm run (?:--silent )?(prove|bench|generate)(?: --(?: ([a-z-]+))?)?/g),
  ]);
  expect(named.length).toBeGreaterThan(30);
  const isKnown = ([, script, name]: RegExpMatchArray) =>
    name === undefined || Object.hasOwn(programs[script as Script], name);
  expect(named.filter((each) => !isKnown(each)).map(([text]) => text)).toEqual([]);
});
