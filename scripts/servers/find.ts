import { access, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describeError } from "../../src/base/core/errors.ts";
import { daemonFolders, findProgram, isProgram } from "../../src/base/core/program-file.ts";
import { type CatalogueEntry, catalogue, goPackageOf, isUnpacked, type ServerName } from "./catalogue.ts";
import { buildWithGo, findGo } from "./go.ts";
import { installPackages, lockName, unpackPackages } from "./install.ts";
import { withMachineLock } from "./lock.ts";
import { howToInstall, libraryFolders, multiarchTriplet, packagesOf, planFor } from "./plan.ts";

/** A program, and the environment variables that it needs beyond this process's. */
export interface ServerProgram {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface FindOptions {
  /** Folder for unpacking programs that cannot be installed; default: the project's `.demo/servers`. */
  readonly directory?: string;
  /** False: search only, never install. */
  readonly install?: boolean;
  /** Called before slow steps; default: no-op. */
  readonly onProgress?: (message: string) => void;
  readonly signal?: AbortSignal;
}

const projectRoot = resolve(import.meta.dirname, "../..");

/**
 * Finds the programs of the named servers. Search order: each one's environment variable (which must then
 * name a program), PATH (for some, then /usr/sbin too), programs unpacked or built by an earlier call; then
 * installs them (as root) or unpacks them below `directory`. Those that Debian lacks are built there with Go.
 *
 * @throws an Error whose message explains how to install the missing programs
 */
export async function findServers<Name extends ServerName>(
  names: readonly Name[],
  options: FindOptions = {},
): Promise<Record<Name, ServerProgram>> {
  const directory = resolve(options.directory ?? join(projectRoot, ".demo", "servers"));
  const signal = options.signal ?? new AbortController().signal;
  const first = await lookFor(names, directory);
  if (first.missing.length === 0) return complete(first.found);
  const machine = {
    isRoot: process.getuid?.() === 0,
    hasApt: (await findProgram("apt-get")) !== undefined && (await findProgram("dpkg")) !== undefined,
    go: await findGo(),
  };
  if (options.install === false) throw new Error(howToInstall(first.missing));
  const firstPlan = planFor(first.missing, machine);
  if (firstPlan.kind === "explain") throw new Error(firstPlan.message);

  return withMachineLock(
    lockName(machine.isRoot ? "/" : directory),
    async () => {
      // Another process may have installed them while this one waited for the lock.
      const { missing } = await lookFor(names, directory);
      const plan = planFor(missing, machine);
      try {
        if (plan.kind === "install") {
          options.onProgress?.(`installing ${plan.packages.join(", ")} with apt-get`);
          await installPackages(plan.packages, signal);
        } else if (plan.kind === "unpack") {
          options.onProgress?.(`unpacking ${plan.packages.join(", ")} below ${directory}`);
          await unpackPackages(plan.packages, directory, signal);
        }
        const unpackedOnly = packagesOf(missing.filter(isUnpacked));
        if (unpackedOnly.length > 0) {
          options.onProgress?.(`unpacking ${unpackedOnly.join(", ")} below ${directory}`);
          await unpackPackages(unpackedOnly, directory, signal);
        }
        for (const name of missing) {
          const goPackage = goPackageOf(name);
          if (goPackage === undefined || machine.go === undefined) continue;
          options.onProgress?.(`building ${goPackage} with Go; this takes some minutes`);
          const file = join(directory, name, catalogue[name].unpackedPath);
          await buildWithGo(machine.go, { goPackage }, file, signal);
        }
      } catch (error) {
        signal.throwIfAborted();
        throw new Error(howToInstall(missing, describeError(error)), { cause: error });
      }
      const last = await lookFor(names, directory);
      if (last.missing.length > 0) throw new Error(howToInstall(last.missing));
      return complete(last.found);
    },
    signal,
  );
}

function complete<Name extends ServerName>(
  found: Partial<Record<Name, ServerProgram>>,
): Record<Name, ServerProgram> {
  return found as Record<Name, ServerProgram>;
}

interface Looked<Name extends ServerName> {
  readonly found: Partial<Record<Name, ServerProgram>>;
  readonly missing: readonly Name[];
}

async function lookFor<Name extends ServerName>(
  names: readonly Name[],
  directory: string,
): Promise<Looked<Name>> {
  const found: Partial<Record<Name, ServerProgram>> = {};
  const missing: Name[] = [];
  for (const name of names) {
    const program = await lookForOne(name, directory);
    if (program === undefined) missing.push(name);
    else found[name] = program;
  }
  return { found, missing };
}

async function lookForOne(name: ServerName, directory: string): Promise<ServerProgram | undefined> {
  const { variable, unpackedPath, isData }: CatalogueEntry = catalogue[name];
  const named = process.env[variable];
  if (named !== undefined && named !== "") {
    const path = named.includes("/") ? resolve(named) : await findProgram(named);
    if (path === undefined || !(await isProgram(path))) {
      throw new Error(`${variable}=${named}: there is no program of that name that can be run`);
    }
    return { path, env: {} };
  }
  if (isUnpacked(name)) return unpacked(name, directory);
  const path = isData
    ? await readable(join("/", unpackedPath))
    : await findProgram(name, furtherFolders(name));
  if (path !== undefined) return { path, env: {} };
  return unpacked(name, directory);
}

async function readable(path: string): Promise<string | undefined> {
  return await access(path).then(
    () => path,
    () => undefined,
  );
}

/** Where a package puts a daemon, which is not on the PATH of a Debian user who is not root. */
export function furtherFolders(name: ServerName): readonly string[] {
  return catalogue[name].unpackedPath.startsWith("usr/sbin/") ? daemonFolders : [];
}

async function unpacked(name: ServerName, directory: string): Promise<ServerProgram | undefined> {
  const roots = await readdir(directory).catch(() => []);
  for (const root of roots.filter((entry) => !entry.startsWith("unpacking-")).sort()) {
    const { unpackedPath, isData }: CatalogueEntry = catalogue[name];
    const path = join(directory, root, unpackedPath);
    if (!(await (isData ? readable(path) : isProgram(path)))) continue;
    const folders = libraryFolders(join(directory, root), multiarchTriplet(process.arch));
    const inherited = process.env["LD_LIBRARY_PATH"];
    if (inherited !== undefined && inherited !== "") folders.push(inherited);
    return { path, env: { LD_LIBRARY_PATH: folders.join(":") } };
  }
  return undefined;
}
