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
 * @throws RuntimeError for a name that is none of a file
 */
export async function writeFiles(folder: string, files: RuntimeFiles): Promise<void> {
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
  await settleLinks(folder, version, names);
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

/** Links to the present files, and nothing else. */
async function settleLinks(folder: string, version: string, names: readonly string[]): Promise<void> {
  const wanted = new Set<string>([current, version, ...names]);
  for (const name of names) {
    if ((await linkOf(join(folder, name))) !== `${current}/${name}`) {
      await replaceLink(folder, name, `${current}/${name}`);
    }
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
  try {
    return (await lstat(path)).isSymbolicLink() ? await readlink(path) : undefined;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return undefined;
    throw error;
  }
}
