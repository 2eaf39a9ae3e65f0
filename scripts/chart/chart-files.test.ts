import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { snippetsOf } from "../../test/support/documents/document-snippets.ts";
import { chartFiles } from "./chart-files.ts";
import { valuesSchema } from "./values-schema.ts";

const chart = new URL("../../config/helm/telemetryd/", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, chart), "utf8");
const files = chartFiles();

test.each(Object.keys(files).filter((path) => path !== "values.schema.json"))(
  "%s is what npm run generate -- chart writes",
  (path) => {
    expect(read(path)).toBe(files[path]);
  },
);

test("values.schema.json is what npm run generate -- chart writes", () => {
  expect(JSON.parse(read("values.schema.json"))).toEqual(valuesSchema());
});

test("no file among the generated ones is left over", () => {
  const found = ["crds", "files"].flatMap((folder) =>
    readdirSync(new URL(folder, chart)).map((name) => `${folder}/${name}`),
  );
  expect(found.sort()).toEqual(
    Object.keys(files)
      .filter((path) => path.includes("/"))
      .sort(),
  );
});

test("the chart and its app have the version of package.json", () => {
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const manifest = parse(read("Chart.yaml"));
  expect([manifest.apiVersion, manifest.version, manifest.appVersion]).toEqual(["v2", version, version]);
});

describe("the schema of the values", () => {
  const validate = new Ajv({ allErrors: true, strictRequired: false, strictTypes: false }).compile(
    valuesSchema(),
  );
  const values = () => parse(read("values.yaml"));

  test("admits values.yaml, which has each of its keys", () => {
    expect([validate(values()), validate.errors]).toEqual([true, null]);
    type Node = { readonly properties?: Record<string, Node> };
    const keys = (schema: Node, value: unknown, path: string): string[] =>
      Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
        const place = `${path}${key}`;
        if (["global", "config", "affinity", "resources.claims"].includes(place)) return [];
        const next = (value as Record<string, unknown>)[key];
        return next === undefined ? [place] : keys(member, next, `${place}.`);
      });
    expect(keys(valuesSchema(), values(), "")).toEqual([]);
  });

  test.each<[string, object, string]>([
    ["an unknown value", { replicaCount: 2 }, "/"],
    ["a typo in a value", { podMonitor: { enable: true } }, "/podMonitor"],
    ["a typo in the configuration", { config: { metrics: { ulr: "http://h" } } }, "/config/metrics"],
    ["an unknown section of the configuration", { config: { metric: {} } }, "/config"],
    ["a value of another type", { replicas: "2" }, "/replicas"],
    [
      "a configuration key of another type",
      { config: { export: { schedule: "que" } } },
      "/config/export/schedule",
    ],
    ["a tag in the repository", { image: { repository: "telemetryd:1" } }, "/image/repository"],
    ["a Secret's value in place of its name", { existingSecrets: [{ password: "x" }] }, "/existingSecrets/0"],
  ])("refuses %s", (_, wrong, place) => {
    expect(validate({ ...values(), ...wrong })).toBe(false);
    expect(validate.errors?.map(({ instancePath }) => instancePath || "/")).toContain(place);
  });

  const snippets = snippetsOf("docs/helm.md").filter(({ language }) => language === "yaml");
  test.each(snippets.map(({ place, text }) => [place, text]))("admits %s", (_, text) => {
    expect([validate({ ...values(), ...parse(text) }), validate.errors]).toEqual([true, null]);
  });

  test.each<[string, object]>([
    ["a configuration in part", { config: { metrics: { interval: "5s" }, redis: {} } }],
    ["a registry with a port", { image: { repository: "localhost:5000/a/telemetryd" } }],
    ["values of an umbrella chart", { global: { region: "eu" } }],
  ])("admits %s", (_, good) => {
    expect([validate({ ...values(), ...good }), validate.errors]).toEqual([true, null]);
  });
});
