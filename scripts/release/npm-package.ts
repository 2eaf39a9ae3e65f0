import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type LockFile, shippedPackages } from "./licences.ts";

export const projectRoot = resolve(import.meta.dirname, "../..");

export const manifest = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly files: readonly string[];
  readonly devDependencies: unknown;
  readonly scripts: unknown;
};

export const lock = JSON.parse(readFileSync(join(projectRoot, "package-lock.json"), "utf8")) as LockFile;

/** Runs a program and returns its output; its standard error is part of the error when it fails. */
export function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    // Keeps errors visible when the outer npm runs silently.
    env: { ...process.env, npm_config_loglevel: "error" },
    maxBuffer: 64 * 2 ** 20,
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Calls `use` with an empty folder, which is removed afterwards. */
export function withFolder<T>(use: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "telemetryd-release-"));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Writes the project without development parts: a package.json, and a lock file called `lockName`. */
export function writeProduction(folder: string, lockName: string): void {
  const { devDependencies: _, scripts: __, ...published } = manifest;
  const { devDependencies: ___, ...own } = lock.packages[""] ?? {};
  const shipped = { ...lock, packages: { "": own, ...Object.fromEntries(shippedPackages(lock)) } };
  mkdirSync(folder, { recursive: true });
  const packageJson = { ...published, files: [...manifest.files, lockName] };
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(packageJson, undefined, 2)}\n`);
  writeFileSync(join(folder, lockName), `${JSON.stringify(shipped, undefined, 2)}\n`);
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

/**
 * Packs the built project with its lock file as npm-shrinkwrap.json, so that `npm ci` in the unpacked package
 * installs the tested versions.
 */
export function packForNpm(output: string): Packed {
  return withFolder((folder) => {
    writeProduction(folder, "npm-shrinkwrap.json");
    for (const path of manifest.files) {
      cpSync(join(projectRoot, path), join(folder, path), { recursive: true });
    }
    const [packed] = JSON.parse(
      run("npm", ["pack", "--json", "--pack-destination", output], folder),
    ) as Packed[];
    if (packed === undefined) throw new Error("npm pack made nothing");
    return packed;
  });
}
