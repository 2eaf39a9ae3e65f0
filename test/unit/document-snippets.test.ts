import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { checkConfig } from "../../src/app/config/load.ts";
import { configSchema } from "../../src/app/config/schema.ts";
import { checkManifest } from "../../src/exporter/policy/spec/manifest.ts";
import { type Snippet, snippetsOf, userDocuments } from "../support/documents/document-snippets.ts";

const snippets = userDocuments().flatMap(snippetsOf);
const of = (...languages: string[]): [string, Snippet][] =>
  snippets.filter(({ language }) => languages.includes(language)).map((snippet) => [snippet.place, snippet]);

/** The kind of a YAML snippet, by its first document; without it a test could silently check nothing. */
function kindOf(text: string): "configuration" | "manifest" | "other" {
  const value: unknown = parseAllDocuments(text)[0]?.toJS();
  if (typeof value !== "object" || value === null) return "other";
  if ("kind" in value && ["ExportPolicy", "Secret"].includes(String(value.kind))) return "manifest";
  const sections = Object.keys(configSchema.shape);
  return Object.keys(value).every((key) => sections.includes(key)) ? "configuration" : "other";
}

test("there are snippets of each kind", () => {
  const kinds = of("yaml").map(([, { text }]) => kindOf(text));
  expect(kinds.filter((kind) => kind === "configuration").length).toBeGreaterThan(5);
  expect(kinds.filter((kind) => kind === "manifest").length).toBeGreaterThan(3);
});

describe.each(of("yaml"))("%s", (_place, { text }) => {
  test("can be read", () => {
    for (const document of parseAllDocuments(text)) {
      expect([...document.errors, ...document.warnings].map(({ message }) => message)).toEqual([]);
    }
  });
});

const ofKind = (kind: string) => of("yaml").filter(([, { text }]) => kindOf(text) === kind);

test.each(ofKind("configuration"))("%s is a configuration without faults", async (place, { text }) => {
  const { faults } = await checkConfig(text, { file: place, environment: {} }, async () => undefined);
  expect(faults).toEqual([]);
});

test.each(ofKind("manifest"))("%s is a manifest without faults", (place, { text }) => {
  const { faults } = checkManifest(text, place, { plane: "directory", unknownFields: "error" });
  expect(faults).toEqual([]);
});

test.each(of("json"))("%s is JSON", (_place, { text }) => {
  expect(() => JSON.parse(text)).not.toThrow();
});

describe("commands in documents", () => {
  const src = new URL("../../src/", import.meta.url);
  const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) =>
    /^cli\.ts$|^app\/commands\/.*command\.ts$/.test(file),
  );
  const cli = files.map((file) => readFileSync(new URL(file, src), "utf8")).join("\n");
  const commands = new Set([...cli.matchAll(/\.command\("([a-z-]+)"\)/g)].map(([, name]) => name));
  const scripts = Object.keys(
    JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).scripts,
  );
  const calls = of("sh", "text").flatMap(([place, { text }]) =>
    [...text.matchAll(/^(?:\$ )?(?:telemetryd|node dist\/cli\.js) (.*)$/gm)].map(
      ([, line = ""]) => [place, line] as const,
    ),
  );

  test.each(calls)("%s: telemetryd %s", (_place, line) => {
    const [command, sub] = line.split(" ");
    expect(commands).toContain(command);
    if (["rejected", "organization", "token"].includes(command ?? "")) expect(commands).toContain(sub);
    const options = [...line.matchAll(/ (--[a-z-]+)/g)].map(([, option]) => option);
    // With a value, or without one.
    for (const option of options) expect(cli).toMatch(new RegExp(`${option} <|"(-\\w, )?${option}"`));
  });

  test("npm scripts that documents name are there", () => {
    const named = userDocuments().flatMap((document) =>
      [
        ...readFileSync(new URL(`../../${document}`, import.meta.url), "utf8").matchAll(
          /npm run (?:--silent )?([a-z:-]+)/g,
        ),
      ].map(([, script]) => `${document} ${script}`),
    );
    expect(named.filter((each) => !scripts.includes(each.split(" ")[1] ?? ""))).toEqual([]);
  });
});
