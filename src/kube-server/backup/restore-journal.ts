import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { claimsKey, planeKeys } from "../store/keys.ts";

/**
 * A set of what a restore writes before anybody sees it: `plane <planeKey>`, `key <key>`. It is removed with
 * the step that makes it visible; one that is left belongs to a restore that was killed.
 */
export const restoreJournalKey = `${keyPrefix}:platform:restore:unfinished`;

const membersAtOnce = 500;

/** Notes planes and keys. Call it before they are written. */
export async function noteRestore(
  redis: RedisConnection,
  planes: readonly Plane[],
  keys: readonly string[],
): Promise<void> {
  const members = [
    ...planes.map((plane) => `plane ${planeKey(plane)}`),
    ...keys.map((key) => journalMember(key)),
  ];
  for (let first = 0; first < members.length; first += membersAtOnce)
    await redis.sadd(restoreJournalKey, ...members.slice(first, first + membersAtOnce));
}

export function journalMember(key: string): string {
  return `key ${key}`;
}

/** Removes what a restore that was killed has left. Call it while no other restore runs. */
export async function removeUnfinished(redis: RedisConnection, directory: AccessDirectory): Promise<void> {
  if ((await redis.exists(restoreJournalKey)) === 0) return;
  const planes = [...(await directory.listOrganizations()), ...(await directory.listProjects())];
  const visible = new Set(planes.map(planeKey));
  for (;;) {
    const members = await redis.srandmember(restoreJournalKey, membersAtOnce);
    if (members === null || members.length === 0) return;
    const pipeline = redis.pipeline();
    for (const member of members) {
      const name = member.slice(member.indexOf(" ") + 1);
      if (member.startsWith("key ")) pipeline.unlink(name);
      else if (!visible.has(name)) pipeline.unlink(...Object.values(planeKeys(name)), claimsKey(name));
    }
    for (const [error] of (await pipeline.exec()) ?? []) if (error !== null) throw error;
    // Last: what was interrupted is repeated.
    await redis.srem(restoreJournalKey, ...members);
  }
}
