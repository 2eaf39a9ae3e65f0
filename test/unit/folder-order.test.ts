import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** The order of folders: its lists, ARCHITECTURE.md, the folders of src/ and the import check agree. */

const root = fileURLToPath(new URL("../../", import.meta.url));
const { order } = createRequire(import.meta.url)("../../.folders.cjs") as {
  readonly order: Readonly<Record<string, readonly string[]>>;
};

function hasPrograms(folder: string): boolean {
  return readdirSync(folder).some((name) => name.endsWith(".ts") && !/\.test\.ts$/.test(name));
}

/** What each folder has that has folders. */
function entriesOf(folder: string): [string, string[]][] {
  const below = readdirSync(join(root, folder), { withFileTypes: true }).filter((each) => each.isDirectory());
  if (below.length === 0) return [];
  const own = hasPrograms(join(root, folder)) ? ["."] : [];
  const names = below.map(({ name }) => name);
  return [[folder, [...own, ...names].sort()], ...names.flatMap((name) => entriesOf(`${folder}/${name}`))];
}

test("each folder with folders has a list of all that it has", () => {
  const lists = Object.entries(order).map(([folder, entries]) => [folder, [...entries].sort()]);
  expect(Object.fromEntries(lists)).toEqual(Object.fromEntries(entriesOf("src")));
});

test("ARCHITECTURE.md has the lists", () => {
  const text = readFileSync(join(root, "ARCHITECTURE.md"), "utf8");
  const printed = [...text.matchAll(/^ {4}(src[\w/-]*): +(.+)$/gm)];
  expect(printed.map(([, folder, entries]) => [folder, entries?.split(" ")])).toEqual(Object.entries(order));
});

/** Runs the import check on a tree of its own. @param files path to contents */
async function check(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "telemetryd-imports-"));
  try {
    writeFileSync(join(folder, "tsconfig.json"), "{}");
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const args = [program, "--config", join(root, ".dependency-cruiser.cjs"), "src"];
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder }, (_, stdout) => resolve(stdout));
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.each<[string, readonly [string, string], string]>([
  [
    "from a folder to one above it",
    ["src/exporter/delivery/state/a.ts", "../window/b.ts"],
    "src/exporter/delivery: state is below window: src/exporter/delivery/state/a.ts → src/exporter/delivery/window/b.ts",
  ],
  [
    "from a folder to the files beside it",
    ["src/exporter/delivery/window/a.ts", "../exporter.ts"],
    "src/exporter/delivery: window is below .: src/exporter/delivery/window/a.ts → src/exporter/delivery/exporter.ts",
  ],
  [
    "from a product to another",
    ["src/kube-server/api/a.ts", "../../exporter/policy/b.ts"],
    "src/kube-server imports only base: src/kube-server/api/a.ts → src/exporter/policy/b.ts",
  ],
])(
  "an import %s fails the check",
  async (_, [file, imported], expected) => {
    const target = join(file, "..", imported);
    const files = { [file]: `import "${imported}";\n`, [target]: "export const b = 1;\n" };
    expect(await check(files)).toContain(expected);
    expect(await check({ ...files, [file]: "export const a = 1;\n" })).toContain("no dependency violations");
  },
  60_000,
);
