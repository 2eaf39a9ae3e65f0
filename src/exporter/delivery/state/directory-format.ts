import { open, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoCode } from "../../../base/core/errors.ts";
import { checkFormat } from "../../../base/core/format-version.ts";

/**
 * The format of everything in the state directory but `state.log`, which has its own: it changes when an
 * older telemetryd could not read a file of it. docs/installation.md lists the formats.
 */
export const directoryFormat = 1;

const formatName = "format";
const longestText = 32;

/**
 * Checks the number in the file `format` of a state directory, and writes this program's.
 *
 * @param directory a path to it; @param shown its name in messages
 * @throws TelemetrydError STATE_UNUSABLE when a newer telemetryd has written it; the system's error
 */
export async function claimFormat(directory: string, shown: string): Promise<void> {
  const path = join(directory, formatName);
  const remedy =
    "run that version, put back a copy of the directory from before it, or start with another state.directory";
  if (!checkFormat(await textOf(path), directoryFormat, join(shown, formatName), remedy)) return;
  try {
    await writeFile(`${path}.new`, `${directoryFormat}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (error) {
    // A full disk does not stop the exports; the next start writes it.
    if (!["ENOSPC", "EDQUOT"].includes(errnoCode(error) ?? "")) throw error;
  }
}

async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  // The open of a pipe would never end.
  if (found?.isFile() !== true) return undefined;
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestText), 0, longestText, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
