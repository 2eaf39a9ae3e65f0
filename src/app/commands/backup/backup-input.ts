import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { TelemetrydError } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import type { OpenBackup } from "../../../kube-server/backup/contents.ts";
import { standardStream } from "./backup-output.ts";

/**
 * Calls `work` with a backup that can be read several times. Standard input is kept in the state directory
 * meanwhile, in a file without a name.
 *
 * @throws FILE_UNREADABLE
 */
export async function withBackupInput<T>(
  path: string,
  stdin: AsyncIterable<Buffer>,
  stateDirectory: string,
  work: (open: OpenBackup) => Promise<T>,
): Promise<T> {
  const file = path === standardStream ? await keptInput(stdin, stateDirectory) : await openFile(path);
  try {
    return await work(() => file.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 }));
  } finally {
    await file.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, "r");
  } catch (cause) {
    throw new TelemetrydError("FILE_UNREADABLE", `${path} cannot be read`, { cause });
  }
}

async function keptInput(stdin: AsyncIterable<Buffer>, directory: string): Promise<FileHandle> {
  await makeDirectory(directory);
  const path = join(directory, `.restore-${process.pid}.partial`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  for await (const chunk of stdin) await file.writeFile(chunk);
  return file;
}
