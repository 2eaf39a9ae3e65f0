import { changesChannel } from "./keys.ts";

/**
 * The Redis scripts of the object store. Each is atomic, and touches the keys of one plane only, in the order of
 * `PlaneKeys`.
 *
 * Resource versions are microseconds of Redis' clock, but always more than the last: a store that lost its newest
 * writes in a crash never gives the same version to another state, and a client that saw a lost one is told to list again.
 */

const nextVersion = `
local function nextVersion(planeKey, last)
  local time = redis.call('TIME')
  local version = math.max(tonumber(last) + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
  return string.format('%.0f', version)
end
`;

/** ARGV: none. Makes the plane if it is not there; answers 1 when it made it. */
export const createPlaneScript = `
${nextVersion}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local version = nextVersion(KEYS[1], 0)
redis.call('HSET', KEYS[1], 'rv', version, 'compacted', version)
return 1
`;

/**
 * Writes one change. ARGV: 1 object key, 2 expected version ("" where it must not exist yet), 3 event type,
 * 4 and 5 the JSON before and after the version, 6 key of the namespace that must be there and stay ("" for none),
 * 7 work to leave for the controllers ("" for none), 8 time for that (ms), 9 number of owners before, then their uids,
 * then the owners' uids after.
 * Answers {"ok", json, version} or the refusal: {"gone"} no such plane, {"exists"}, {"missing"}, {"modified"},
 * {"no-namespace"}, {"terminating"}.
 */
export const commitScript = `
${nextVersion}
local last = redis.call('HGET', KEYS[1], 'rv')
if not last then return {'gone'} end
local key, expected, event = ARGV[1], ARGV[2], ARGV[3]
local current = redis.call('HGET', KEYS[2], key)
if expected == '' then
  if current then return {'exists'} end
else
  if not current then return {'missing'} end
  if string.match(current, '"resourceVersion":"(%d+)"') ~= expected then return {'modified'} end
end
if ARGV[6] ~= '' then
  local namespace = redis.call('HGET', KEYS[2], ARGV[6])
  if not namespace then return {'no-namespace'} end
  local _, stop = string.find(namespace, '"resourceVersion":"%d+"')
  if string.sub(namespace, stop + 1, stop + 22) == ',"deletionTimestamp":"' then return {'terminating'} end
end
local version = nextVersion(KEYS[1], last)
local json = ARGV[4] .. version .. ARGV[5]
if event == 'DELETED' then
  redis.call('HDEL', KEYS[2], key)
  redis.call('ZREM', KEYS[3], key)
else
  redis.call('HSET', KEYS[2], key, json)
  redis.call('ZADD', KEYS[3], 0, key)
end
redis.call('XADD', KEYS[4], version .. '-0', 't', event, 'k', key, 'o', json, 'p', current or '')
redis.call('HSET', KEYS[1], 'rv', version)
local ownersBefore = tonumber(ARGV[9])
for i = 10, 9 + ownersBefore do redis.call('ZREM', KEYS[5], ARGV[i] .. ' ' .. key) end
if event ~= 'DELETED' then
  for i = 10 + ownersBefore, #ARGV do redis.call('ZADD', KEYS[5], 0, ARGV[i] .. ' ' .. key) end
end
if ARGV[7] ~= '' then redis.call('ZADD', KEYS[6], ARGV[8], ARGV[7]) end
redis.call('PUBLISH', '${changesChannel}', KEYS[1])
return {'ok', json, version}
`;

/**
 * Reads part of a collection. ARGV: 1 lowest key (ZRANGEBYLEX form), 2 end of keys, 3 how many objects (0 for all),
 * 4 the version to show ("" for the newest), 5 what the keys of the collection start with. Answers {"gone"}, {"unknown"} for a version that the log does not hold, or
 * {"ok", version, count of all in the range, {key, json, ...}, {key, json at that version or "", ...}}: the last list
 * names each object of the collection that changed after the version asked for.
 */
export const pageScript = `
local planeState = redis.call('HMGET', KEYS[1], 'rv', 'compacted')
local newest, compacted = planeState[1], planeState[2]
if not newest then return {'gone'} end
local from, to, limit, asked = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local undo, undone = {}, {}
if asked ~= '' and asked ~= newest then
  if tonumber(asked) < tonumber(compacted) or tonumber(asked) > tonumber(newest) then return {'unknown', newest} end
  local cursor = '(' .. asked .. '-0'
  while true do
    local entries = redis.call('XRANGE', KEYS[4], cursor, '+', 'COUNT', 500)
    if #entries == 0 then break end
    for _, entry in ipairs(entries) do
      local key, previous = entry[2][4], entry[2][8]
      if not undone[key] and string.sub(key, 1, #ARGV[5]) == ARGV[5] then
        undone[key] = true
        undo[#undo + 1] = key
        undo[#undo + 1] = previous
      end
    end
    cursor = '(' .. entries[#entries][1]
  end
end
local keys
if limit == 0 then
  keys = redis.call('ZRANGEBYLEX', KEYS[3], from, to)
else
  keys = redis.call('ZRANGEBYLEX', KEYS[3], from, to, 'LIMIT', 0, limit + #undo / 2 + 1)
end
local items = {}
for first = 1, #keys, 500 do
  local part = {}
  for i = first, math.min(first + 499, #keys) do part[#part + 1] = keys[i] end
  local values = redis.call('HMGET', KEYS[2], unpack(part))
  for i = 1, #part do
    items[#items + 1] = part[i]
    items[#items + 1] = values[i]
  end
end
return {'ok', newest, redis.call('ZLEXCOUNT', KEYS[3], from, to), items, undo}
`;

/**
 * Reads the change log. ARGV: 1 version after which, 2 how many at most. Answers {"gone"}, {"expired", newest} for a
 * version that is compacted or was never given out, {"ahead", newest} for one of the future, or
 * {"ok", newest, {{version, type, key, json, json before}, ...}}.
 */
export const changesScript = `
local planeState = redis.call('HMGET', KEYS[1], 'rv', 'compacted')
local newest, compacted = planeState[1], planeState[2]
if not newest then return {'gone'} end
local after = ARGV[1]
if after == newest then return {'ok', newest, {}} end
if tonumber(after) > tonumber(newest) then return {'ahead', newest} end
if after ~= compacted then
  if tonumber(after) < tonumber(compacted) then return {'expired', newest} end
  if #redis.call('XRANGE', KEYS[4], after .. '-0', after .. '-0') == 0 then return {'expired', newest} end
end
local changes = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[4], '(' .. after .. '-0', '+', 'COUNT', ARGV[2])) do
  local fields = entry[2]
  changes[#changes + 1] = {string.sub(entry[1], 1, -3), fields[2], fields[4], fields[6], fields[8]}
end
return {'ok', newest, changes}
`;

/**
 * Drops old changes. ARGV: 1 the version up to which (that itself stays resumable), 2 how many changes to keep at most.
 * Answers the oldest version that a watch may resume from, or "" where there is no such plane.
 */
export const compactScript = `
local compacted = redis.call('HGET', KEYS[1], 'compacted')
if not compacted then return '' end
local boundary = ARGV[1]
local excess = redis.call('XLEN', KEYS[4]) - tonumber(ARGV[2])
if excess > 0 then
  local oldest = redis.call('XRANGE', KEYS[4], '-', '+', 'COUNT', excess)
  local version = string.sub(oldest[#oldest][1], 1, -3)
  if tonumber(version) > tonumber(boundary) then boundary = version end
end
local last = redis.call('XREVRANGE', KEYS[4], boundary .. '-0', '-', 'COUNT', 1)
if #last == 0 then return compacted end
local version = string.sub(last[1][1], 1, -3)
redis.call('XTRIM', KEYS[4], 'MINID', version .. '-1')
redis.call('HSET', KEYS[1], 'compacted', version)
return version
`;

/** ARGV: 1 work, 2 the due time it was taken at. Removes it unless it has become due anew since. */
export const finishWorkScript = `
if redis.call('ZSCORE', KEYS[6], ARGV[1]) == ARGV[2] then return redis.call('ZREM', KEYS[6], ARGV[1]) end
return 0
`;
