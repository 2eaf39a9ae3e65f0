import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { errnoCode } from "../../base/core/errors.ts";
import { replaceFile } from "../../base/core/replace-file.ts";

/**
 * The provider's identity, which survives restarts: `state.directory/provider-id`. A state directory belongs
 * to one daemon at a time.
 *
 * @throws errors of the file system
 */
export async function providerId(stateDirectory: string): Promise<string> {
  const file = join(stateDirectory, "provider-id");
  try {
    const text = (await readFile(file, "utf8")).trim();
    if (/^[0-9a-f-]{36}$/.test(text)) return text;
  } catch (error) {
    if (errnoCode(error) !== "ENOENT") throw error;
  }
  const id = randomUUID();
  await replaceFile(file, `${id}\n`);
  return id;
}
