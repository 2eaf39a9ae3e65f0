import { spawn } from "node:child_process";
import { readdir, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

export const projectRoot = resolve(import.meta.dirname, "../..");

/** The program that `npm run build` makes. */
export const builtCli = join(projectRoot, "dist", "cli.js");

const inputs = ["src", "proto", "package.json", "tsconfig.json", "scripts/build.mjs"];

/**
 * Builds the daemon when the build is missing or older than any of its inputs.
 * @returns whether it was built
 */
export async function ensureBuilt(signal: AbortSignal, onStart: () => void): Promise<boolean> {
  const builtMs = await modifiedMs(builtCli);
  const newestMs = Math.max(...(await Promise.all(inputs.map((name) => newestIn(join(projectRoot, name))))));
  if (builtMs >= newestMs) return false;
  onStart();
  await new Promise<void>((done, fail) => {
    const child = spawn("npm", ["run", "--silent", "build"], { cwd: projectRoot, stdio: "inherit", signal });
    child.once("error", fail);
    child.once("close", (code) => {
      if (code === 0) done();
      else fail(new Error(`npm run build ended with exit status ${code}`));
    });
  });
  return true;
}

async function newestIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Math.max(0, ...(await Promise.all([path, ...files].map(modifiedMs))));
}

/** Modification time; 0 for a missing path. */
async function modifiedMs(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
