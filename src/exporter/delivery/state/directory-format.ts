import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { describeError, errnoCode, TelemetrydError } from "../../../base/core/errors.ts";
import { checkFormat } from "../../../base/core/format-version.ts";
import { replaceFile } from "../../../base/core/replace-file.ts";

/**
 * The format of everything in the state directory but `state.log`, which has its own: it changes when an
 * older telemetryd could not read a file of it. docs/installation.md lists the formats.
 */
export const directoryFormat = 1;

const formatName = "format";
const longestText = 32;

/**
 * Checks the number in the file `format` of a state directory; writes nothing.
 *
 * @returns whether it has to be written: see {@link writeFormat}
 * @throws TelemetrydError STATE_UNUSABLE when a newer telemetryd has written it, or it cannot be read
 */
export async function checkDirectoryFormat(directory: string): Promise<boolean> {
  const path = join(directory, formatName);
  const remedy =
    "run that version, put back a copy of the directory from before it, or start with another state.directory";
  return checkFormat(await textOf(path), directoryFormat, path, remedy);
}

/**
 * Writes this program's number, for a daemon that holds the directory.
 *
 * @throws TelemetrydError STATE_UNUSABLE as {@link checkDirectoryFormat}, or when it cannot be written
 */
export async function claimFormat(directory: string): Promise<void> {
  if (!(await checkDirectoryFormat(directory))) return;
  const path = join(directory, formatName);
  try {
    await replaceFile(path, `${directoryFormat}\n`);
  } catch (error) {
    // A full disk does not stop the exports; the next start writes it.
    if (!["ENOSPC", "EDQUOT"].includes(errnoCode(error) ?? "")) throw unusable(path, error);
  }
}

function unusable(path: string, cause: unknown): TelemetrydError {
  const message = `${path} cannot be used: ${describeError(cause)}`;
  return new TelemetrydError("STATE_UNUSABLE", message, { cause });
}

async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  // The open of a pipe would never end.
  if (found?.isFile() !== true) return undefined;
  const file = await open(path, "r").catch((error: unknown) => {
    throw unusable(path, error);
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(longestText), 0, longestText, 0);
    return buffer.toString("latin1", 0, bytesRead);
  } finally {
    await file.close();
  }
}
