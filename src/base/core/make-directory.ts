import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errnoCode } from "./errors.ts";

/**
 * Creates a directory and its missing parents, for this user only, unless it exists. For paths that people
 * choose: below /proc, Node's recursive `mkdir` never ends, in a thread that even an exit waits for.
 *
 * @throws the system's error
 */
export async function makeDirectory(path: string): Promise<void> {
  if ((await create(path)) === "made") return;
  const parent = dirname(path);
  if (parent !== path) await makeDirectory(parent);
  const again = await create(path);
  if (again !== "made") throw again;
}

/** @returns the error when the parent is missing */
async function create(path: string): Promise<"made" | Error> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return error as Error;
    // Some file systems refuse before they find that it exists.
    const isDirectory = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isDirectory) throw error;
  }
  return "made";
}
