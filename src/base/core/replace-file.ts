import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * Replaces a file, or makes it, with mode 0600: written beside it and fsynced first, so that no reader finds
 * and no power cut leaves a part of it. Two calls for one file must not run at once.
 *
 * @throws errors of the file system; the old file is as it was, and nothing is left beside it
 */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const beside = `${path}.new`;
  try {
    const file = await open(beside, "w", 0o600);
    try {
      // Not `write`, which may write a part when the disk is full.
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(beside, path);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes a rename last through a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  await directory.sync().finally(() => directory.close());
}
