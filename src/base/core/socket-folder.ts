import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { TelemetrydError } from "./errors.ts";
import { makeDirectory } from "./make-directory.ts";

/** Unix limits a socket's path to 107 bytes; what a program appends to it for a moment has to fit too. */
const longestFolder = 90;

/**
 * The folder of a child process' sockets: the one of this name below the state directory. If its path is too
 * long, a folder under the system's temporary directory, named after the state directory.
 */
export function socketFolder(stateDirectory: string, name: string): string {
  const folder = join(resolve(stateDirectory), name);
  return Buffer.byteLength(folder) <= longestFolder ? folder : shortFolder(stateDirectory);
}

/** The folder under the system's temporary directory for sockets of this state directory. */
export function shortFolder(stateDirectory: string): string {
  const hash = createHash("sha256").update(resolve(stateDirectory)).digest("hex").slice(0, 16);
  return join(tmpdir(), `telemetryd-${process.getuid?.() ?? 0}-${hash}`);
}

/**
 * Creates a folder that only this user can enter, unless it exists. Its name under the temporary directory
 * can be guessed: in a folder of another user, the sockets would be that user's.
 *
 * @param uid of this user; undefined where the system has no user ids
 * @throws STATE_UNUSABLE when it cannot be created, or belongs to another user
 */
export async function makeOwnFolder(folder: string, uid = process.getuid?.()): Promise<void> {
  let owner: number;
  try {
    await makeDirectory(folder);
    ({ uid: owner } = await lstat(folder));
  } catch (cause) {
    throw new TelemetrydError("STATE_UNUSABLE", `the folder ${folder} cannot be created`, { cause });
  }
  if (uid === undefined || owner === uid) return;
  const what = `the folder ${folder} belongs to another user (uid ${owner}, not ${uid})`;
  throw new TelemetrydError("STATE_UNUSABLE", `${what}; remove it, or change its owner`);
}
