import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { newPackages } from "./plan.ts";

const run = promisify(execFile);
const aptEnvironment = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
const maxOutputBytes = 64 * 2 ** 20;

/**
 * The script that Debian's `invoke-rc.d` runs before starting a service; exit status 101 forbids the start.
 */
const policyFile = "/usr/sbin/policy-rc.d";
const policyMark = "# Written by telemetryd while it installs packages; safe to delete.";
const policyText = `#!/bin/sh\n${policyMark}\nexit 101\n`;

/** Installs Debian packages machine-wide, as root, without starting their services. */
export async function installPackages(packages: readonly string[], signal: AbortSignal): Promise<void> {
  const restore = await forbidServices();
  try {
    await apt(["update"], signal);
    await apt(
      [
        "-o",
        "DPkg::Lock::Timeout=300",
        "-o",
        "Dpkg::Options::=--force-confold",
        "install",
        "--yes",
        "--no-install-recommends",
        ...packages,
      ],
      signal,
    );
  } finally {
    await restore();
  }
}

/** Installs the policy file; the returned function restores the previous one. */
async function forbidServices(): Promise<() => Promise<void>> {
  const before = await readFile(policyFile, "utf8").catch(() => undefined);
  await writeFile(policyFile, policyText);
  await chmod(policyFile, 0o755);
  return async () => {
    // A policy file left by a killed run must not block services forever.
    if (before === undefined || before.includes(policyMark)) await unlink(policyFile);
    else await writeFile(policyFile, before);
  };
}

/**
 * Downloads Debian packages with the libraries that this machine lacks and unpacks them into one new folder
 * below `directory`. Needs no privileges: apt uses lists and a cache in that folder. The folder is created
 * atomically.
 *
 * @returns the folder that corresponds to `/`
 */
export async function unpackPackages(
  packages: readonly string[],
  directory: string,
  signal: AbortSignal,
): Promise<string> {
  const target = unpackedRoot(directory, packages);
  await mkdir(directory, { recursive: true });
  const work = await mkdtemp(join(resolve(directory), "unpacking-"));
  try {
    const options = await ownAptState(work);
    await apt([...options, "update"], signal);
    const simulation = await apt(
      [...options, "--simulate", "install", "--no-install-recommends", ...packages],
      signal,
    );
    const wanted = [...new Set([...packages, ...newPackages(simulation)])];
    await apt([...options, "download", ...wanted], signal, work);

    const root = join(work, "root");
    await mkdir(root);
    for (const file of (await readdir(work)).filter((name) => name.endsWith(".deb")).sort()) {
      await run("dpkg", ["-x", join(work, file), root], { signal, maxBuffer: maxOutputBytes });
    }
    await rm(target, { recursive: true, force: true });
    await rename(root, target);
    return target;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The folder for a set of packages; each set has its own, since packages of a set share library folders. */
export function unpackedRoot(directory: string, packages: readonly string[]): string {
  return join(resolve(directory), [...packages].sort().join("+"));
}

async function ownAptState(work: string): Promise<string[]> {
  const lists = join(work, "lists");
  const archives = join(work, "archives");
  await mkdir(join(lists, "partial"), { recursive: true });
  await mkdir(join(archives, "partial"), { recursive: true });
  return [
    "-o",
    `Dir::State::lists=${lists}`,
    "-o",
    `Dir::Cache=${work}`,
    "-o",
    `Dir::Cache::archives=${archives}`,
    "-o",
    "Dir::State::status=/var/lib/dpkg/status",
    "-o",
    "Debug::NoLocking=1",
  ];
}

/** Lock name of installers that write to the same place. */
export function lockName(place: string): string {
  return `install:${createHash("sha256").update(place).digest("hex").slice(0, 16)}`;
}

async function apt(args: readonly string[], signal: AbortSignal, cwd?: string): Promise<string> {
  const command = ["-q", ...args];
  try {
    const { stdout } = await run("apt-get", command, {
      env: aptEnvironment,
      signal,
      maxBuffer: maxOutputBytes,
      ...(cwd === undefined ? {} : { cwd }),
    });
    return stdout;
  } catch (error) {
    signal.throwIfAborted();
    const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    const verb = args.find((arg) => /^(update|install|download|--simulate)$/.test(arg)) ?? "";
    throw new Error(`apt-get ${verb}: ${stderr.split("\n").slice(-5).join("; ") || String(error)}`, {
      cause: error,
    });
  }
}
