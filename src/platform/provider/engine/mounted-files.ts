import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoCode } from "../../../base/core/errors.ts";
import { RuntimeError, type RuntimeFiles } from "../runtime/runtime.ts";

/** Keys of ConfigMaps and Secrets; two dots at the beginning are those of this file. */
const fileName = /^(?!\.\.)(?!\.$)[-._a-zA-Z0-9]{1,253}$/;
const current = "..data";

/**
 * Makes a folder show these files, all at once: a reader sees the earlier files or the later ones, never some
 * of both. The layout is the kubelet's: `name -> ..data/name`, `..data -> ..<hash>`. The folder itself may be
 * mounted all the while; only its parents keep others out.
 *
 * @param mountPoints relative paths where something else is mounted: they hide files of their names
 * @throws RuntimeError for a name that is none of a file
 */
export async function writeFiles(
  folder: string,
  files: RuntimeFiles,
  mountPoints: readonly string[] = [],
): Promise<void> {
  const names = Object.keys(files.contents).sort();
  const wrong = names.find((name) => !fileName.test(name));
  if (wrong !== undefined) {
    throw new RuntimeError("refused", "InvalidSpecification", "a key of a volume is no name of a file");
  }
  const version = `..${hashOf(files, names)}`;
  await mkdir(folder, { recursive: true });
  // Containers may run as any user; the folders above are closed.
  await chmod(folder, 0o755);
  if ((await linkOf(join(folder, current))) !== version) await writeVersion(folder, version, files, names);
  const hidden = new Set(mountPoints.map((path) => path.split("/", 1)[0] ?? ""));
  const visible = names.filter((name) => !hidden.has(name));
  await settleLinks(folder, new Set([current, version, ...hidden]), visible);
  // The engine cannot make them in a folder that is read-only for the container.
  for (const path of mountPoints) await makeMountPoint(folder, path.split("/"));
}

/** A former file is no folder, and nothing is made where a link leads. */
async function makeMountPoint(folder: string, names: readonly string[]): Promise<void> {
  let path = folder;
  for (const name of names) {
    path = join(path, name);
    const isFolder = await lstat(path).then((found) => found.isDirectory(), ignoreMissing);
    if (isFolder === true) continue;
    await rm(path, { force: true });
    await mkdir(path);
    await chmod(path, 0o755);
  }
}

function hashOf(files: RuntimeFiles, names: readonly string[]): string {
  const hash = createHash("sha256").update(`${files.mode}\n`);
  for (const name of names) {
    const content = files.contents[name] ?? new Uint8Array();
    hash.update(`${name}\n${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 32);
}

async function writeVersion(
  folder: string,
  version: string,
  files: RuntimeFiles,
  names: readonly string[],
): Promise<void> {
  const target = join(folder, version);
  // One that was not finished has no link to it.
  await rm(target, { recursive: true, force: true });
  await mkdir(target);
  await chmod(target, 0o755);
  for (const name of names) {
    const path = join(target, name);
    await writeFile(path, files.contents[name] ?? new Uint8Array(), { mode: 0o600 });
    await chmod(path, files.mode & 0o777);
  }
  await replaceLink(folder, current, version);
}

/** Links to the present files, and nothing else but the others. */
async function settleLinks(
  folder: string,
  others: ReadonlySet<string>,
  names: readonly string[],
): Promise<void> {
  const wanted = new Set<string>([...others, ...names]);
  for (const name of names) {
    const link = await linkOf(join(folder, name));
    if (link === `${current}/${name}`) continue;
    // Something was mounted there before.
    if (link === undefined) await rm(join(folder, name), { recursive: true, force: true });
    await replaceLink(folder, name, `${current}/${name}`);
  }
  for (const entry of await readdir(folder)) {
    if (!wanted.has(entry)) await rm(join(folder, entry), { recursive: true, force: true });
  }
}

async function replaceLink(folder: string, name: string, destination: string): Promise<void> {
  const next = join(folder, "..next");
  await rm(next, { recursive: true, force: true });
  await symlink(destination, next);
  await rename(next, join(folder, name));
}

async function linkOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(ignoreMissing);
  return found?.isSymbolicLink() === true ? await readlink(path) : undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (errnoCode(error) !== "ENOENT") throw error;
}
