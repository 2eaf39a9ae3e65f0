import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { changelogFaults } from "./changelog.ts";
import { isAllowed, licencesDocument, productionDependencies } from "./licences.ts";
import { packageFaults } from "./package-contents.ts";
import { sbomFaults } from "./sbom.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string): string => readFileSync(resolve(root, file), "utf8");

describe("the changelog", () => {
  const unreleased = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a\n";
  const released =
    "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-11-21\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n";
  test.each<[string, string, string, boolean, string[]]>([
    ["released", released, "0.2.0", false, []],
    [
      "released, and worked on",
      released.replace("[Unreleased]\n", "[Unreleased]\n\n- c\n"),
      "0.2.0",
      true,
      [],
    ],
    ["worked on", unreleased, "0.1.0", true, []],
    [
      "not released yet",
      unreleased,
      "0.1.0",
      false,
      [
        "package.json has version 0.1.0, CHANGELOG.md has no version as the newest",
        "CHANGELOG.md has entries under [Unreleased] that belong to 0.1.0 or to a later version",
      ],
    ],
    [
      "another version",
      released,
      "0.3.0",
      false,
      ["package.json has version 0.3.0, CHANGELOG.md has 0.2.0 as the newest"],
    ],
    [
      "no date",
      released.replace(" - 2026-11-21", ""),
      "0.2.0",
      false,
      ["CHANGELOG.md has no date for 0.2.0"],
    ],
    ["nothing told", released.replace("- a", ""), "0.2.0", false, ["CHANGELOG.md tells nothing of 0.2.0"]],
    [
      "no Unreleased",
      "# Changelog\n",
      "0.1.0",
      false,
      ["CHANGELOG.md must begin with the section [Unreleased]"],
    ],
  ])("%s", (_name, text, version, isUnreleased, expected) => {
    expect(changelogFaults(text, version, isUnreleased)).toEqual(expected);
  });
});

describe("licences", () => {
  test.each([
    ["MIT", true],
    ["GPL-3.0-only", false],
    ["(MIT OR GPL-3.0-only)", true],
    ["(MIT AND GPL-3.0-only)", false],
    ["Apache-2.0 AND MIT", true],
    ["(none)", false],
    ["UNLICENSED", false],
  ])("%s: %s", (expression, expected) => {
    expect(isAllowed(expression)).toBe(expected);
  });

  test("a package is listed once, without those for development", () => {
    const packages = {
      "": { version: "1.0.0", devDependencies: { compiler: "1.0.0" } },
      "node_modules/a": { version: "1.0.0", license: "MIT" },
      "node_modules/b/node_modules/a": { version: "1.0.0", license: "MIT" },
      "node_modules/b/node_modules/@x/a": { version: "2.0.0" },
      "node_modules/d": { version: "1.0.0", license: "MIT", dev: true },
      "node_modules/compiler": { version: "1.0.0", license: "MIT", devOptional: true },
    };
    expect(productionDependencies({ packages })).toEqual([
      { name: "@x/a", version: "2.0.0", licence: "(none)" },
      { name: "a", version: "1.0.0", licence: "MIT" },
    ]);
  });

  const dependencies = productionDependencies(JSON.parse(read("package-lock.json")));

  test("all of ours are allowed", () => {
    expect(dependencies.length).toBeGreaterThan(50);
    expect(dependencies.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
  });

  test("docs/third-party-licences.md lists them; renew it with npm run generate -- licences", () => {
    expect(read("docs/third-party-licences.md")).toBe(licencesDocument(dependencies));
  });
});

test("a package with too little or too much", () => {
  const faults = packageFaults(["dist/cli.js", "dist/a.test.js", "src/a.ts", "config/pat.token"]);
  expect(faults).toEqual(
    expect.arrayContaining([
      "lacks package.json",
      "must not have dist/a.test.js",
      "has src/a.ts",
      "must not have config/pat.token",
    ]),
  );
});

test("a bill of materials that is of something else", () => {
  const part = { version: "1.0.0", purl: "pkg:npm/a@1.0.0", hashes: [{}], licenses: [{}] };
  const sbom = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    metadata: { component: { name: "x", version: "1.0.0" } },
    components: [
      { name: "a", ...part },
      { name: "b", version: "1.0.0" },
    ],
  };
  const expected = [{ name: "a", version: "1.0.0" }];
  expect(sbomFaults(sbom, { name: "telemetryd", version: "0.1.0" }, expected)).toEqual([
    "is of x 1.0.0",
    "lists b@1.0.0, which is not shipped",
    "tells no purl, hash or licence of b",
  ]);
});
