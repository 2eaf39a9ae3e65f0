import { chown, constants, type FileHandle, open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { makeDirectory } from "../core/make-directory.ts";

const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = constants;

/**
 * Appends a line to a file that another process may hold as a `RotatedFile`, or move away meanwhile: in one
 * write, which no other one divides. A missing file is created for its owner only; where root creates it, it
 * belongs to the owner of the folder, since the daemon may run as another user.
 *
 * @param line ASCII, with its line break
 * @throws the system's error; nothing is left of the line then
 */
export async function appendLine(path: string, line: string): Promise<void> {
  const folder = dirname(path);
  if ((await stat(folder).catch(() => undefined)) === undefined) {
    await makeDirectory(folder);
    await inheritOwner(folder);
  }
  const handle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size === 0) await inheritOwner(path);
    await writeWhole(handle, Buffer.from(line, "latin1"));
  } finally {
    await handle.close();
  }
}

async function writeWhole(handle: FileHandle, bytes: Buffer): Promise<void> {
  const { bytesWritten } = await handle.write(bytes);
  if (bytesWritten === bytes.length) return;
  // Otherwise the next line of another process would follow the half of this one.
  await handle.truncate((await handle.stat()).size - bytesWritten);
  throw new Error("the disk is full");
}

async function inheritOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  await chown(path, uid, gid);
}
