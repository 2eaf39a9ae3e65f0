import { createHash } from "node:crypto";
import type { RedisConnection } from "./connection.ts";

const hashes = new Map<string, string>();

/** Runs a Lua script by its hash, or sends it in full when the server does not know it yet. */
export async function runScript(
  redis: RedisConnection,
  script: string,
  keys: readonly string[],
  args: readonly (string | number | Buffer)[],
): Promise<unknown> {
  let hash = hashes.get(script);
  if (hash === undefined) {
    hash = createHash("sha1").update(script).digest("hex");
    hashes.set(script, hash);
  }
  try {
    return await redis.evalsha(hash, keys.length, ...keys, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return await redis.eval(script, keys.length, ...keys, ...args);
  }
}
