import { readVersions } from "./lua.ts";

/**
 * Reads part of a collection, up to a number of objects and bytes. ARGV: 1 lowest key (ZRANGEBYLEX form),
 * 2 end of keys, 3 maximum number of objects, 4 version to show ("" for the newest), 5 key prefix of the
 * collection, 6 maximum bytes (the first object may be larger), then optionally 7 "keys" and the keys to
 * read, one more than the maximum if there are more, instead of all in the range. Returns {"gone"},
 * {"unknown", newest} for a version that the log does not hold, or {"ok", newest, total count in the
 * range, {key, json, ...}, {key, json at that version or "", ...}, last key}. The second list has each
 * object of the part that changed after the requested version. The last key is the end of the part, "" at
 * the end of the range.
 */
export const pageScript = `
${readVersions}
-- By bytes, as the index has them: Lua's own comparison depends on the locale.
local function isGreater(left, right)
  for i = 1, #left do
    local a, b = string.byte(left, i), string.byte(right, i)
    if a ~= b then return b == nil or a > b end
  end
  return false
end
local newest, compacted = readVersions()
if not newest then return {'gone'} end
local from, to, limit, asked, prefix = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5]
local first = string.sub(from, 1, 1) == '(' and string.sub(from, 2) or ''
local isPast = asked ~= '' and asked ~= newest
if isPast and (tonumber(asked) < tonumber(compacted) or tonumber(asked) > tonumber(newest)) then
  return {'unknown', newest}
end

local keys = ARGV[7] and {unpack(ARGV, 8)}
  or redis.call('ZRANGEBYLEX', KEYS[3], from, to, 'LIMIT', 0, limit + 1)
local items, bytes, maxBytes = {}, 0, tonumber(ARGV[6])
local taken, wanted = 0, math.min(limit, #keys)
while taken < wanted and bytes < maxBytes do
  -- Few at once: those that turn out to be too many have been read in vain.
  local part = {unpack(keys, taken + 1, math.min(taken + 20, wanted))}
  for _, json in ipairs(redis.call('HMGET', KEYS[2], unpack(part))) do
    taken = taken + 1
    -- A given key's object may have been deleted since.
    if json then
      bytes = bytes + #json
      items[#items + 1] = keys[taken]
      items[#items + 1] = json
    end
    if bytes >= maxBytes then break end
  end
end
local last = taken < #keys and keys[taken] or ''
local undo = {}
if isPast then
  local function isInPart(key)
    local isAfterStart = first == '' or isGreater(key, first)
    return string.sub(key, 1, #prefix) == prefix and isAfterStart and (last == '' or not isGreater(key, last))
  end
  local undone = {}
  local cursor = '(' .. asked .. '-0'
  while true do
    local entries = redis.call('XRANGE', KEYS[4], cursor, '+', 'COUNT', 500)
    if #entries == 0 then break end
    for _, entry in ipairs(entries) do
      local key, replaced = entry[2][4], entry[2][6]
      if not undone[key] then
        undone[key] = true
        if isInPart(key) then
          undo[#undo + 1] = key
          undo[#undo + 1] = replaced == '' and '' or redis.call('HGET', KEYS[7], replaced)
        end
      end
    end
    cursor = '(' .. entries[#entries][1]
  end
end
return {'ok', newest, redis.call('ZLEXCOUNT', KEYS[3], from, to), items, undo, last}
`;

/**
 * Reads which objects of a collection have changed, as they are now. ARGV: 1 after this version, 2 key
 * prefix of the collection, 3 maximum number of changes, 4 maximum bytes (the first object may be
 * larger). Returns {"gone"}, {"expired"} for a version from which the log does not resume, or {"ok",
 * version up to which was read, 1 if it is the newest, {key, json or "" if deleted, ...}}.
 */
export const changedObjectsScript = `
${readVersions}
local newest, compacted = readVersions()
if not newest then return {'gone'} end
local after, prefix, limit, maxBytes = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if after == newest then return {'ok', newest, 1, {}} end
local isEntry = #redis.call('XRANGE', KEYS[4], after .. '-0', after .. '-0') > 0
if after ~= compacted and (tonumber(after) < tonumber(compacted) or not isEntry) then return {'expired'} end
local entries = redis.call('XRANGE', KEYS[4], '(' .. after .. '-0', '+', 'COUNT', limit)
local changed, seen, bytes = {}, {}, 0
for _, entry in ipairs(entries) do
  local key = entry[2][4]
  if bytes >= maxBytes then break end
  after = string.sub(entry[1], 1, -3)
  if not seen[key] and string.sub(key, 1, #prefix) == prefix then
    seen[key] = true
    local json = redis.call('HGET', KEYS[2], key) or ''
    changed[#changed + 1] = key
    changed[#changed + 1] = json
    bytes = bytes + #json
  end
end
return {'ok', after, after == newest and 1 or 0, changed}
`;

/**
 * Reads the change log, up to a number of changes and bytes. ARGV: 1 start after this version, 2 maximum
 * number of changes, 3 maximum bytes (the first change may be larger). Returns {"gone"}, {"expired", newest}
 * for a version that is compacted or was never assigned, {"ahead", newest} for a future version, or {"ok",
 * newest, {{version, type, key, json, json before}, ...}}.
 */
export const changesScript = `
${readVersions}
local newest, compacted = readVersions()
if not newest then return {'gone'} end
local after, limit, maxBytes = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if after == newest then return {'ok', newest, {}} end
if tonumber(after) > tonumber(newest) then return {'ahead', newest} end
if after ~= compacted then
  if tonumber(after) < tonumber(compacted) then return {'expired', newest} end
  if #redis.call('XRANGE', KEYS[4], after .. '-0', after .. '-0') == 0 then return {'expired', newest} end
end
local changes, bytes = {}, 0
local cursor = '(' .. after .. '-0'
while #changes < limit and bytes < maxBytes do
  local entries = redis.call('XRANGE', KEYS[4], cursor, '+', 'COUNT', math.min(50, limit - #changes))
  if #entries == 0 then break end
  for _, entry in ipairs(entries) do
    local version, event, key, replaced = string.sub(entry[1], 1, -3), entry[2][2], entry[2][4], entry[2][6]
    local before = replaced == '' and '' or redis.call('HGET', KEYS[7], replaced)
    local json
    if event == 'DELETED' then
      json = string.gsub(before, '"resourceVersion":"%d+"', '"resourceVersion":"' .. version .. '"', 1)
    else
      json = redis.call('HGET', KEYS[7], version) or redis.call('HGET', KEYS[2], key)
    end
    changes[#changes + 1] = {version, event, key, json, before}
    bytes = bytes + #json + #before
    if bytes >= maxBytes then break end
  end
  cursor = '(' .. entries[#entries][1]
end
return {'ok', newest, changes}
`;
