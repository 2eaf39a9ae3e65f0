import { constants, type WriteStream } from "node:fs";
import { type FileHandle, open, rename, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { errnoCode, TelemetrydError } from "../../../base/core/errors.ts";

/** Where a backup goes. */
export interface BackupOutput {
  /** Resolves once further bytes may come. */
  write(bytes: Buffer): Promise<void>;
}

/** `-` on the command line. */
export const standardStream = "-";

/**
 * Calls `work` with a file that only its owner reads. It gets its name when the work is done: until then, and
 * when it fails, a file of that name stays as it was.
 *
 * @throws INVALID_ARGUMENT when it cannot be written, or would go to a terminal
 */
export async function withBackupOutput<T>(
  path: string,
  stdout: NodeJS.WriteStream,
  work: (output: BackupOutput) => Promise<T>,
): Promise<T> {
  if (path === standardStream) {
    if (stdout.isTTY) throw unusable("the backup would go to the terminal: redirect it, or name a file");
    return await work({ write: (bytes) => writeTo(stdout, bytes) });
  }
  const partial = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  const file = await openNew(partial, path);
  try {
    const result = await work({ write: async (bytes) => void (await file.writeFile(bytes)) });
    await file.sync();
    await file.close();
    await rename(partial, path);
    return result;
  } catch (error) {
    await file.close().catch(() => undefined);
    await unlink(partial).catch(() => undefined);
    if (errnoCode(error) === undefined || error instanceof TelemetrydError) throw error;
    throw unusable(`${path} cannot be written`, error);
  }
}

async function openNew(partial: string, path: string): Promise<FileHandle> {
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  try {
    return await open(partial, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
  } catch (error) {
    throw unusable(`${path} cannot be written`, error);
  }
}

function unusable(message: string, cause?: unknown): TelemetrydError {
  return new TelemetrydError("INVALID_ARGUMENT", message, { cause });
}

function writeTo(stdout: NodeJS.WriteStream | WriteStream, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}
