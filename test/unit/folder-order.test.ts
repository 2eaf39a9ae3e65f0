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

/** Runs the import check on a tree of its own. @param files path to contents; @returns the faults, without colours */
async function faultsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "telemetryd-imports-"));
  try {
    writeFileSync(join(folder, "tsconfig.json"), "{}");
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, ".."), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const program = join(root, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs");
    const args = [program, "--config", join(root, ".dependency-cruiser.cjs"), "src"];
    const output = await new Promise<string>((resolve) => {
      execFile(process.execPath, args, { cwd: folder }, (_, stdout) => resolve(stdout));
    });
    expect(output).toContain("cruised");
    return [...output.matchAll(/^ *error (.+)$/gm)].map(([, fault = ""]) => fault).sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the import check refuses imports from below, of a folder's own files and of other products", async () => {
  const state = "src/exporter/delivery/state/a.ts";
  const window = "src/exporter/delivery/window/a.ts";
  const api = "src/kube-server/api/a.ts";
  const faults = await faultsOf({
    [state]: 'import "../window/b.ts";\n',
    [window]: 'import "../exporter.ts";\nimport "../state/b.ts";\nimport "../../../base/core/b.ts";\n',
    [api]: 'import "../../exporter/policy/b.ts";\n',
    "src/exporter/delivery/window/b.ts": "export const b = 1;\n",
    "src/exporter/delivery/state/b.ts": "export const b = 1;\n",
    "src/exporter/delivery/exporter.ts": "export const b = 1;\n",
    "src/base/core/b.ts": "export const b = 1;\n",
    "src/exporter/policy/b.ts": "export const b = 1;\n",
  });
  // All else in the tree is allowed.
  expect(faults).toEqual([
    `src/exporter/delivery: state is below window: ${state} → src/exporter/delivery/window/b.ts`,
    `src/exporter/delivery: window is below .: ${window} → src/exporter/delivery/exporter.ts`,
    `src/kube-server imports only base: ${api} → src/exporter/policy/b.ts`,
  ]);
});
