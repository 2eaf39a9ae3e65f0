import { leaseFunctions } from "../../base/redis/lease-scripts.ts";
import { eventsChannel } from "./shared-event.ts";

/**
 * The Lua scripts that change the shared state, each of them atomic. A change is announced on the channel,
 * with the lease that made it as `by`.
 *
 * The entry is a hash: `revision` (counts successes, so the newer of two entries is known regardless of
 * clocks), `meta`, `items`, and `by` (the lease that wrote it).
 */

const announceRefresh = `
local event = { event = "refreshing", by = ARGV[1], ttlMs = tonumber(ARGV[2]) }
redis.call("PUBLISH", "${eventsChannel}", cjson.encode(event))
`;

/** The steps of the refresh lease (lease-scripts.ts). Storing a result also ends it. */
export const refreshLeaseScripts = {
  take: `
${leaseFunctions}
local fence, restMs = takeLease()
if not fence then return {"held", restMs} end
${announceRefresh}
return {"taken", fence}
`,
  renew: `
${leaseFunctions}
if not renewLease() then return 0 end
${announceRefresh}
return 1
`,
  release: `
${leaseFunctions}
if not endLease() then return 0 end
redis.call("PUBLISH", "${eventsChannel}", cjson.encode({ event = "idle", by = ARGV[1] }))
return 1
`,
};

/** @param key the entry's place among the script's keys */
const replaceForeignType = (key: string): string => `
if redis.call("TYPE", ${key}).ok ~= "hash" then redis.call("DEL", ${key}) end
`;

/**
 * Writes the result of a refresh and ends the lease, both or nothing: a replica that lost the lease must not
 * overwrite its successor's result. Idempotent, since the first reply may have been lost. KEYS: lease, fence,
 * entry. ARGV: owner, ttl ms, fence, meta, items ("" keeps the stored ones), known revision, expiry ms.
 * Returns the revision, 0 when the lease was lost, -1 when the items to keep no longer exist.
 */
export const storeResult = `
${leaseFunctions}
${replaceForeignType("KEYS[3]")}
if redis.call("HGET", KEYS[3], "by") == ARGV[1] then
  return tonumber(redis.call("HGET", KEYS[3], "revision"))
end
if not holdsLease() then return 0 end
if ARGV[5] == "" and redis.call("HEXISTS", KEYS[3], "items") == 0 then return -1 end
local revision = math.max(tonumber(redis.call("HGET", KEYS[3], "revision")) or 0, tonumber(ARGV[6])) + 1
redis.call("HSET", KEYS[3], "revision", revision, "meta", ARGV[4], "by", ARGV[1])
if ARGV[5] ~= "" then redis.call("HSET", KEYS[3], "items", ARGV[5]) end
redis.call("PEXPIRE", KEYS[3], ARGV[7])
endLease()
redis.call("PUBLISH", "${eventsChannel}", cjson.encode({ event = "stored", by = ARGV[1] }))
return revision
`;

/**
 * Restores a replica's entry into a Redis that lost it (wiped, or older than the last write). KEYS: entry.
 * ARGV: revision, meta, items, expiry ms. Returns 0 when Redis has the same or a newer one.
 */
export const restoreEntry = `
${replaceForeignType("KEYS[1]")}
if (tonumber(redis.call("HGET", KEYS[1], "revision")) or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call("HSET", KEYS[1], "revision", ARGV[1], "meta", ARGV[2], "items", ARGV[3], "by", "restored")
redis.call("PEXPIRE", KEYS[1], ARGV[4])
redis.call("PUBLISH", "${eventsChannel}", cjson.encode({ event = "stored", by = "restored" }))
return 1
`;

/**
 * Deletes an unreadable entry, unless it has been replaced. KEYS: entry. ARGV: its meta ("" when it has
 * none).
 */
export const discardEntry = `
if redis.call("TYPE", KEYS[1]).ok ~= "hash" or (redis.call("HGET", KEYS[1], "meta") or "") == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0
`;
