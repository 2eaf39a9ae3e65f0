import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Bytes of all files below a folder that may be written to meanwhile; 0 if there is no such folder. */
export function bytesBelow(folder: string): number {
  let bytes = 0;
  try {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) bytes += sizeOf(join(entry.parentPath, entry.name));
    }
  } catch {
    // A folder was removed meanwhile.
  }
  return bytes;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
