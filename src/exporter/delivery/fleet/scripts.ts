import { leaseFunctions, plainLease, redisTime } from "../../../base/redis/lease-scripts.ts";

/**
 * The Lua scripts over one sink's keys; each is atomic for all replicas. The sink's lease (lease-scripts.ts)
 * has its fence in the sink's state; a write presents the fence of its own lease and changes nothing if the
 * stored fence differs.
 *
 * The first keys of a script that starts with `leaseFunctions` are the lease and the sink's state, its first
 * arguments owner, ttl and fence; the comments name those that follow.
 */

/**
 * Takes the lease. ARGV: channel, message to publish there, "1" to respect a pause. Returns {"taken", fence,
 * now, field, value, ...} with the whole state, {"held", rest ms} or, during a pause, {"refused", rest ms}.
 */
const take = `
${leaseFunctions}
local now = nowMs()
local pausedUntil = tonumber(redis.call("HGET", KEYS[2], "pausedUntil") or "0")
if ARGV[6] == "1" and pausedUntil > now then return {"refused", pausedUntil - now} end
local fence, restMs = takeLease()
if not fence then return {"held", restMs} end
redis.call("PUBLISH", ARGV[4], ARGV[5])
local reply = {"taken", fence, tostring(now)}
for _, each in ipairs(redis.call("HGETALL", KEYS[2])) do table.insert(reply, each) end
return reply
`;

/**
 * Releases the lease and stores the delivery state. ARGV: deliveryState ("" while the sink delivers), pause
 * ms; then nothing, or the report of the cycle: the channel, the sink, the report, and counter fields with
 * their increments. The channel's message is the sink, the sums and the report, a line each.
 */
const release = `
${leaseFunctions}
if not endLease() then return 0 end
if ARGV[4] == "" then
  redis.call("HDEL", KEYS[2], "deliveryState", "pausedUntil")
else
  redis.call("HSET", KEYS[2], "deliveryState", ARGV[4], "pausedUntil", nowMs() + tonumber(ARGV[5]))
end
if ARGV[6] then
  local lines = {ARGV[7]}
  for index = 9, #ARGV, 2 do
    table.insert(lines, redis.call("HINCRBY", KEYS[2], ARGV[index], ARGV[index + 1]))
  end
  table.insert(lines, ARGV[8])
  redis.call("HSET", KEYS[2], "report", ARGV[8])
  redis.call("PUBLISH", ARGV[6], table.concat(lines, "\\n"))
end
return 1
`;

export const sinkLeaseScripts = { take, renew: plainLease.renew, release };

/** Ends a sink's pause, not its delivery state: the next request is a probe. KEYS: state. */
export const endPause = `return redis.call("HDEL", KEYS[1], "pausedUntil")`;

/**
 * Changes a sink's state atomically. A checkpoint only moves forward, and every change is idempotent, so a
 * write whose reply was lost can be repeated. KEYS: the state to change (the sink's, or one stored beside
 * it), then journals. ARGV: count, fields and values to set; count, fields to delete; for each journal the
 * number of entries to append and these, or -1 to delete it. Returns 0 when the fence is another one.
 */
export const writeState = `
${leaseFunctions}
if not holdsLease() then return 0 end
local at = 3
local function take()
  at = at + 1
  return ARGV[at]
end
for _ = 1, tonumber(take()) do
  local field, value = take(), take()
  local old = string.sub(field, 1, 11) == "checkpoint:" and tonumber(redis.call("HGET", KEYS[3], field))
  if not old or old < tonumber(value) then redis.call("HSET", KEYS[3], field, value) end
end
for _ = 1, tonumber(take()) do redis.call("HDEL", KEYS[3], take()) end
for index = 4, #KEYS do
  local count = tonumber(take())
  if count < 0 then redis.call("DEL", KEYS[index]) end
  for _ = 1, count do redis.call("RPUSH", KEYS[index], take()) end
end
return 1
`;

/**
 * Appends a record of what was sent, and removes the oldest ones: see redis-sent-log.ts. KEYS: the list.
 * ARGV: the record; the bytes that the list may take; the time before which records are old (float64 at
 * offset 10 of a record, Unix ms); ms until the list expires; the record's block and its ordinal there, or ""
 * if the block has no other record. Returns 0 when the fence is another one, and "lost" when Redis has lost
 * records of the block, as in a failover.
 *
 * Each replica that takes turns continues a block of its own: sixteen of them are remembered.
 */
export const appendSent = `
${leaseFunctions}
if not holdsLease() then return 0 end
if redis.call("EXISTS", KEYS[3]) == 0 then
  redis.call("HSET", KEYS[2], "sentBytes", 0)
  redis.call("HDEL", KEYS[2], "sentBlocks")
end
if ARGV[8] ~= "" then
  local blocks = {ARGV[8] .. "=" .. ARGV[9]}
  local last = -1
  for id, ordinal in string.gmatch(redis.call("HGET", KEYS[2], "sentBlocks") or "", "(%d+)=(%d+)") do
    if id == ARGV[8] then last = tonumber(ordinal)
    elseif #blocks < 16 then table.insert(blocks, id .. "=" .. ordinal) end
  end
  -- The same write again, because its reply was lost.
  if last == tonumber(ARGV[9]) then return 1 end
  if last + 1 ~= tonumber(ARGV[9]) then return "lost" end
  redis.call("HSET", KEYS[2], "sentBlocks", table.concat(blocks, " "))
end
redis.call("RPUSH", KEYS[3], ARGV[4])
redis.call("PEXPIRE", KEYS[3], ARGV[7])
local bytes = redis.call("HINCRBY", KEYS[2], "sentBytes", #ARGV[4])
while redis.call("LLEN", KEYS[3]) > 1 do
  local oldest = redis.call("LINDEX", KEYS[3], 0)
  local toMs = struct.unpack("<d", oldest, 11)
  if bytes <= tonumber(ARGV[5]) and toMs >= tonumber(ARGV[6]) then break end
  if bytes > tonumber(ARGV[5]) then redis.call("HSET", KEYS[2], "sentLostTo", toMs) end
  redis.call("LPOP", KEYS[3])
  bytes = redis.call("HINCRBY", KEYS[2], "sentBytes", -#oldest)
end
return 1
`;

/**
 * Deletes the state of a sink that no replica has run for a time and none runs now. KEYS: the sink's state,
 * its lease, then the keys to delete. ARGV: the time in ms. Returns 0 when a replica has run it.
 */
export const forgetState = `
${redisTime}
local leasedAt = tonumber(redis.call("HGET", KEYS[1], "leasedAt") or "0")
if redis.call("EXISTS", KEYS[2]) == 1 or nowMs() - leasedAt < tonumber(ARGV[1]) then return 0 end
for index = 3, #KEYS do redis.call("DEL", KEYS[index]) end
return 1
`;

/** The epoch of this Redis and its age in ms; creates one if there is none. KEYS: epoch. ARGV: a token. */
export const readEpoch = `
${redisTime}
local now = nowMs()
redis.call("SET", KEYS[1], ARGV[1] .. " " .. now, "NX")
local epoch = redis.call("GET", KEYS[1])
return {epoch, now - (tonumber(string.match(epoch, " (%d+)$")) or 0)}
`;
