/**
 * The Lua scripts that change the shared state, each of them atomic. The first key is the cache entry, the
 * second the lease; the last argument is the channel on which the change is announced, with the lease that
 * made it as `by`.
 *
 * The entry is a hash: `revision` (counts successes, so the newer of two entries is known regardless of
 * clocks), `meta`, `items`, and `by` (the lease that wrote it).
 */

/** Acquires the lease if free. ARGV: token, ttl ms, channel. Returns 1, or minus the current lease's ms. */
export const acquireLease = `
if redis.call("SET", KEYS[2], ARGV[1], "NX", "PX", ARGV[2]) then
  redis.call("PUBLISH", ARGV[3], cjson.encode({ event = "refreshing", by = ARGV[1], ttlMs = tonumber(ARGV[2]) }))
  return 1
end
if redis.call("GET", KEYS[2]) == ARGV[1] then return 1 end
return -math.max(redis.call("PTTL", KEYS[2]), 1)
`;

/** Renews the lease. ARGV: token, ttl ms, channel. Returns 0 when it was lost. */
export const renewLease = `
if redis.call("GET", KEYS[2]) ~= ARGV[1] then return 0 end
redis.call("PEXPIRE", KEYS[2], ARGV[2])
redis.call("PUBLISH", ARGV[3], cjson.encode({ event = "refreshing", by = ARGV[1], ttlMs = tonumber(ARGV[2]) }))
return 1
`;

/** Releases the lease after a refresh that changed nothing. ARGV: token, channel. */
export const releaseLease = `
if redis.call("GET", KEYS[2]) ~= ARGV[1] then return 0 end
redis.call("DEL", KEYS[2])
redis.call("PUBLISH", ARGV[2], cjson.encode({ event = "idle", by = ARGV[1] }))
return 1
`;

const replaceForeignType = `
if redis.call("TYPE", KEYS[1]).ok ~= "hash" then redis.call("DEL", KEYS[1]) end
`;

/**
 * Writes the result of a refresh and releases the lease, both or nothing: a replica that lost the lease must
 * not overwrite its successor's result. Idempotent, since the first reply may have been lost. ARGV: token,
 * meta, items ("" keeps the stored ones), known revision, expiry ms, channel. Returns the revision, 0 when
 * the lease was lost, -1 when the items to keep no longer exist.
 */
export const storeResult = `
${replaceForeignType}
if redis.call("HGET", KEYS[1], "by") == ARGV[1] then return tonumber(redis.call("HGET", KEYS[1], "revision")) end
if redis.call("GET", KEYS[2]) ~= ARGV[1] then return 0 end
if ARGV[3] == "" and redis.call("HEXISTS", KEYS[1], "items") == 0 then return -1 end
local revision = math.max(tonumber(redis.call("HGET", KEYS[1], "revision")) or 0, tonumber(ARGV[4])) + 1
redis.call("HSET", KEYS[1], "revision", revision, "meta", ARGV[2], "by", ARGV[1])
if ARGV[3] ~= "" then redis.call("HSET", KEYS[1], "items", ARGV[3]) end
redis.call("PEXPIRE", KEYS[1], ARGV[5])
redis.call("DEL", KEYS[2])
redis.call("PUBLISH", ARGV[6], cjson.encode({ event = "stored", by = ARGV[1] }))
return revision
`;

/**
 * Restores a replica's entry into a Redis that lost it (wiped, or older than the last write). ARGV: revision,
 * meta, items, expiry ms, channel. Returns 0 when Redis has the same or a newer one.
 */
export const restoreEntry = `
${replaceForeignType}
if (tonumber(redis.call("HGET", KEYS[1], "revision")) or 0) >= tonumber(ARGV[1]) then return 0 end
redis.call("HSET", KEYS[1], "revision", ARGV[1], "meta", ARGV[2], "items", ARGV[3], "by", "restored")
redis.call("PEXPIRE", KEYS[1], ARGV[4])
redis.call("PUBLISH", ARGV[5], cjson.encode({ event = "stored", by = "restored" }))
return 1
`;

/** Deletes an unreadable entry, unless it has been replaced. ARGV: its meta ("" when it has none). */
export const discardEntry = `
if redis.call("TYPE", KEYS[1]).ok ~= "hash" or (redis.call("HGET", KEYS[1], "meta") or "") == ARGV[1] then
  return redis.call("DEL", KEYS[1])
end
return 0
`;
