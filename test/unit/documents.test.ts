import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { checkConfig } from "../../src/app/config/load.ts";
import { errorTable } from "../../src/base/core/errors.ts";
import { checkManifest } from "../../src/exporter/policy/spec/manifest.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(resolve(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

function read(document: string): string {
  return readFileSync(resolve(root, document), "utf8");
}

test.each(documents)("every file that %s links to is there", (document) => {
  const targets = [...read(document).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
    ([, target]) => target ?? "",
  );
  expect(targets.filter((target) => !existsSync(resolve(root, dirname(document), target)))).toEqual([]);
});

test("docs/decisions/dependencies.md names each package, and no other", () => {
  const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<string, object>;
  const rows = [...read("docs/decisions/dependencies.md").matchAll(/^\| ([^|]+) \|/gm)].slice(2);
  const named = rows.flatMap(([, cell = ""]) => cell.replaceAll("*", "").split(", "));
  const packages = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !name.startsWith("@types/"),
  );
  expect(named.toSorted()).toEqual(packages.toSorted());
});

describe("the README", () => {
  const blocks = [...read("README.md").matchAll(/```yaml\n(.*?)```/gs)].map(([, text]) => text ?? "");

  test("shows a configuration without faults", async () => {
    const text = blocks.find((block) => block.startsWith("policies:")) ?? "";
    const { config, faults } = await checkConfig(text, { file: "README.md" }, async () => undefined);
    expect(faults).toEqual([]);
    expect(config?.metrics?.url).toBe("http://127.0.0.1:8428");
  });

  test("shows a policy and a Secret without faults", () => {
    const text = blocks.find((block) => block.includes("kind: ExportPolicy")) ?? "";
    const checked = checkManifest(text, "README.md", { plane: "directory", unknownFields: "error" });
    expect(checked.faults).toEqual([]);
    expect([checked.policies.length, checked.secrets.length]).toEqual([1, 1]);
  });

  test("names every exit status", () => {
    const statuses = new Set(Object.values(errorTable).map(({ exitStatus }) => exitStatus));
    const documented = [...read("README.md").matchAll(/^\| (\d+) \|/gm)].map(([, status]) => Number(status));
    expect(documented.filter((status) => status !== 0)).toEqual([...statuses]);
  });

  test("gives the defaults that the reference has", () => {
    const defaultsIn = (document: string) =>
      new Map(
        [...read(document).matchAll(/^\| `([a-z]+\.[A-Za-z.]+)` \|(?:[^|]*\|)? (`[^`]+`) \|/gm)].map(
          ([, key, value]) => [key, value],
        ),
      );
    const reference = defaultsIn("docs/configuration.md");
    const differing = [...read("README.md").matchAll(/^\| `([a-z]+\.[A-Za-z.]+)` \| (`[^`]+`) \|/gm)].filter(
      ([, key, value]) => reference.get(key) !== value,
    );
    expect(differing.map(([line]) => line)).toEqual([]);
  });
});
