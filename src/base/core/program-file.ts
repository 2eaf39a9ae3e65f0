import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

const systemFolders = ["/usr/local/bin", "/usr/bin", "/bin"];
/** Folders of daemons, which the PATH of an ordinary Debian user lacks. */
export const daemonFolders: readonly string[] = ["/usr/local/sbin", "/usr/sbin"];

/**
 * Finds a program by its name: on PATH, then in the further folders. A path is returned as it is. To a shell
 * an empty PATH entry is the current folder; here it is ignored, so that the result never depends on the
 * working directory.
 */
export async function findProgram(
  name: string,
  furtherFolders: readonly string[] = [],
): Promise<string | undefined> {
  if (name.includes("/")) return name;
  const path = process.env["PATH"]?.split(delimiter) ?? systemFolders;
  for (const folder of [...path, ...furtherFolders]) {
    if (folder === "") continue;
    const file = join(folder, name);
    if (await isProgram(file)) return file;
  }
  return undefined;
}

/** Whether this user can run the file. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
