/**
 * The Lua scripts over one sink's keys; each is atomic for all replicas. A lease is a key with a time to live
 * and a fence in the sink's state. Taking the lease sets a new fence. A write presents its own fence and
 * changes nothing if the stored fence differs. Times are Redis' own, so that replicas' clocks need not agree.
 */

const now = `
local clock = redis.call("TIME")
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
`;

/**
 * Takes the lease. KEYS: lease, state. ARGV: token, ttl ms, channel, message to publish there, "1" to respect
 * a pause. Returns {"taken", fence, field, value, ...} with the whole state, {"held", rest ms} or {"paused",
 * rest ms}.
 */
export const takeLease = `
${now}
local pausedUntil = tonumber(redis.call("HGET", KEYS[2], "pausedUntil") or "0")
if ARGV[5] == "1" and pausedUntil > now then return {"paused", pausedUntil - now} end
if not redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then
  return {"held", math.max(redis.call("PTTL", KEYS[1]), 1)}
end
local last = redis.call("HGET", KEYS[2], "fence") or "0"
local fence = (tonumber(string.match(last, "^%d+")) or 0) + 1 .. "-" .. ARGV[1]
redis.call("HSET", KEYS[2], "fence", fence, "leasedAt", now)
redis.call("PUBLISH", ARGV[3], ARGV[4])
local reply = {"taken", fence, tostring(now)}
for _, each in ipairs(redis.call("HGETALL", KEYS[2])) do table.insert(reply, each) end
return reply
`;

/**
 * Renews the lease, even if it expired or Redis lost it: while the fence is ours, no other replica has held
 * it. KEYS: lease, state. ARGV: token, ttl ms, fence. Returns 0 when another replica has held it.
 */
export const renewLease = `
if redis.call("HGET", KEYS[2], "fence") ~= ARGV[3] then return 0 end
redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
return 1
`;

/**
 * Releases the lease and stores the delivery state. KEYS: lease, state. ARGV: token, fence, deliveryState (""
 * while the sink delivers), pause ms; then nothing, or the report of the cycle: the channel, the sink, the
 * report, and counter fields with their increments. The channel's message is the sink, the sums and the
 * report, a line each.
 */
export const releaseLease = `
${now}
if redis.call("HGET", KEYS[2], "fence") ~= ARGV[2] then return 0 end
if ARGV[3] == "" then
  redis.call("HDEL", KEYS[2], "deliveryState", "pausedUntil")
else
  redis.call("HSET", KEYS[2], "deliveryState", ARGV[3], "pausedUntil", now + tonumber(ARGV[4]))
end
if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end
if ARGV[5] then
  local lines = {ARGV[6]}
  for index = 8, #ARGV, 2 do
    table.insert(lines, redis.call("HINCRBY", KEYS[2], ARGV[index], ARGV[index + 1]))
  end
  table.insert(lines, ARGV[7])
  redis.call("HSET", KEYS[2], "report", ARGV[7])
  redis.call("PUBLISH", ARGV[5], table.concat(lines, "\\n"))
end
return 1
`;

/** Ends a sink's pause, not its delivery state: the next request is a probe. KEYS: state. */
export const endPause = `return redis.call("HDEL", KEYS[1], "pausedUntil")`;

/**
 * Changes a sink's state atomically. A checkpoint only moves forward, and every change is idempotent, so a
 * write whose reply was lost can be repeated. KEYS: the sink's state with the fence, the state to change (the
 * same, or one stored beside it), then journals. ARGV: fence; count, fields and values to set; count, fields
 * to delete; for each journal the number of entries to append and these, or -1 to delete it. Returns 0 when
 * the fence is another one.
 */
export const writeState = `
if redis.call("HGET", KEYS[1], "fence") ~= ARGV[1] then return 0 end
local at = 1
local function take()
  at = at + 1
  return ARGV[at]
end
for _ = 1, tonumber(take()) do
  local field, value = take(), take()
  local old = string.sub(field, 1, 11) == "checkpoint:" and tonumber(redis.call("HGET", KEYS[2], field))
  if not old or old < tonumber(value) then redis.call("HSET", KEYS[2], field, value) end
end
for _ = 1, tonumber(take()) do redis.call("HDEL", KEYS[2], take()) end
for index = 3, #KEYS do
  local count = tonumber(take())
  if count < 0 then redis.call("DEL", KEYS[index]) end
  for _ = 1, count do redis.call("RPUSH", KEYS[index], take()) end
end
return 1
`;

/**
 * Deletes the state of a sink that no replica has run for a time and none runs now. KEYS: the sink's state,
 * its lease, then the keys to delete. ARGV: the time in ms. Returns 0 when a replica has run it.
 */
export const forgetState = `
${now}
local leasedAt = tonumber(redis.call("HGET", KEYS[1], "leasedAt") or "0")
if redis.call("EXISTS", KEYS[2]) == 1 or now - leasedAt < tonumber(ARGV[1]) then return 0 end
for index = 3, #KEYS do redis.call("DEL", KEYS[index]) end
return 1
`;

/** The epoch of this Redis and its age in ms; creates one if there is none. KEYS: epoch. ARGV: a token. */
export const readEpoch = `
${now}
redis.call("SET", KEYS[1], ARGV[1] .. " " .. now, "NX")
local epoch = redis.call("GET", KEYS[1])
return {epoch, now - (tonumber(string.match(epoch, " (%d+)$")) or 0)}
`;
