import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { valueAt } from "../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../base/documents/yaml-source.ts";
import { configKeys } from "./keys.ts";
import { checkConfig } from "./load.ts";
import { publishedJsonSchema, renewKeyTables } from "./reference.ts";

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");

test("config/telemetryd.schema.json is current (npm run generate -- schema)", () => {
  expect(JSON.parse(read("config/telemetryd.schema.json"))).toEqual(
    JSON.parse(JSON.stringify(publishedJsonSchema())),
  );
});

test("the tables of docs/configuration.md are current (npm run generate -- schema)", () => {
  const document = read("docs/configuration.md");
  expect(renewKeyTables(document)).toBe(document);
});

test("the example holds every key, and nothing in it is wrong", async () => {
  const text = read("config/telemetryd.example.yaml");
  const example = parseYaml(text).documents[0]?.value;
  const missing = configKeys.filter(({ name }) => {
    const path = name.replaceAll("[]", ".0").split(".");
    return (
      valueAt(
        example,
        path.map((step) => (step === "0" ? 0 : step)),
      ) === undefined
    );
  });
  expect(missing.map((key) => key.name)).toEqual([]);
  // Its secrets are files that do not exist on this machine.
  const { config, faults } = await checkConfig(
    text,
    { file: "config/telemetryd.example.yaml" },
    async () => undefined,
  );
  expect(faults).toEqual([]);
  expect(config?.metrics?.intervalMs).toBe(15_000);
});

test("every key of the example is explained by a comment, its own or its section's", () => {
  const bare: string[] = [];
  let commented = false;
  for (const line of read("config/telemetryd.example.yaml").split("\n")) {
    if (line.trim() === "") commented = false;
    else if (line.trimStart().startsWith("#")) commented = true;
    else if (!commented) bare.push(line);
  }
  expect(bare).toEqual([]);
});

test("every key has a description", () => {
  for (const key of configKeys) expect(key.schema.description, key.name).toMatch(/\w/);
});
