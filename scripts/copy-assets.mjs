/**
 * The second half of `npm run build`: copies what the compiler leaves out (generated JavaScript) from src to dist,
 * takes away what is there of sources that are gone, and makes the program executable.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const files = (folder) =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, folder).length + 1));

const sources = files("src");
for (const file of sources.filter((name) => !name.endsWith(".ts"))) {
  mkdirSync(dirname(join(root, "dist", file)), { recursive: true });
  copyFileSync(join(root, "src", file), join(root, "dist", file));
}

const known = new Set(sources);
for (const file of files("dist")) {
  const source = file.replace(/\.map$/, "");
  if (!known.has(source) && !known.has(source.replace(/\.js$/, ".ts"))) rmSync(join(root, "dist", file));
}

const program = join(root, "dist", "cli.js");
if (existsSync(program)) chmodSync(program, 0o755);
