import { execFile } from "node:child_process";
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../../../scripts/daemon/build.ts";

const run = promisify(execFile);

/** The paths that a build needs, and the program when it runs. */
const inputs = ["src", "proto", "scripts/build.mjs", "package.json", "tsconfig.json"];

/**
 * The commit before the checkout's; undefined where there is none, as in a shallow clone or a tarball, and where
 * its daemons cut off requests when they stop, as versions before the drain did.
 */
export async function previousCommit(): Promise<string | undefined> {
  const find = async (): Promise<string> => {
    await git("cat-file", "-e", "HEAD~1:src/kube-server/http/drain.ts");
    return (await git("rev-parse", "--verify", "--quiet", "HEAD~1^{commit}")).trim();
  };
  return await find().catch(() => undefined);
}

/**
 * Builds the program in a folder of its own, which no other build touches, with this checkout's packages.
 *
 * @param commit undefined: the files as they are here
 * @returns its `cli.js`
 */
export async function buildIn(folder: string, commit?: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  if (commit === undefined) {
    for (const path of inputs) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await cp(join(projectRoot, path), join(folder, path), { recursive: true });
    }
  } else {
    const archive = join(folder, "archive.tar");
    await git("archive", "--output", archive, commit, ...inputs);
    await run("tar", ["-xf", archive, "-C", folder]);
    await rm(archive);
  }
  await symlink(join(projectRoot, "node_modules"), join(folder, "node_modules"));
  await run("npm", ["run", "--silent", "build"], { cwd: folder });
  return join(folder, "dist", "cli.js");
}

/** @throws where this folder itself is no repository, also if one around it is */
async function git(...args: readonly string[]): Promise<string> {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(projectRoot) };
  return (await run("git", ["-C", projectRoot, ...args], { env })).stdout;
}
