/**
 * Functions shared by the store's scripts. Each script is atomic, and touches the keys of one plane only, in
 * the order of `PlaneKeys`.
 *
 * Each state of an object is stored once: the current one among the objects, an earlier one among the
 * superseded states while the change that replaced it is in the log. A log entry contains only the object's
 * key and the replaced version. A log in an older format (the field `logged` is behind) counts as empty: its
 * watches relist. Likewise, the counts of a plane are valid up to the version in its `countedField`.
 */

/**
 * Resource versions are microseconds of Redis' clock, but always greater than the last one: a store that lost
 * its newest writes in a crash never reuses a version, and a client that has seen a lost version must relist.
 */
export const nextVersion = `
local function nextVersion(last)
  local time = redis.call('TIME')
  local version = math.max(tonumber(last) + 1, tonumber(time[1]) * 1000000 + tonumber(time[2]))
  return string.format('%.0f', version)
end
`;

/** Version of a stored object; see `storedParts`. */
export const versionOf = `
local function versionOf(json) return string.match(json, '"resourceVersion":"(%d+)"') end
`;

/** Reads a plane's newest version and the oldest resumable one; nil, nil if the plane does not exist. */
export const readVersions = `
local function readVersions()
  local state = redis.call('HMGET', KEYS[1], 'rv', 'compacted', 'logged')
  if state[1] and state[3] ~= state[1] then return state[1], state[1] end
  return state[1], state[2]
end
`;

/**
 * `count(change)` adds to the counts of the plane and its organization. `exceeding(quota, key, limits,
 * change)` returns the resources that a change would take beyond their limits, {"exceeded", quota, resource,
 * requested, used, limit, ...}, or nil.
 */
export const usageFunctions = `
local function count(change)
  for name, number in pairs(change) do
    if number ~= 0 then
      local amount = string.format('%.0f', number)
      redis.call('HINCRBY', KEYS[1], name, amount)
      redis.call('HINCRBY', KEYS[8], name, amount)
    end
  end
end

local function exceeding(quota, key, limits, change)
  local found
  for name, limit in pairs(limits) do
    if (change[name] or 0) > 0 then
      local used = tonumber(redis.call('HGET', key, name) or 0)
      if used + change[name] > limit then
        found = found or {'exceeded', quota}
        found[#found + 1] = name
        for _, value in ipairs({change[name], used, limit}) do
          found[#found + 1] = string.format('%.0f', value)
        end
      end
    end
  end
  return found
end
`;

/**
 * `openLog()` empties a log in another format. `trimLog(upTo, maxBytes, maxEntries)` drops the oldest
 * changes: those up to a version, and those beyond the limits. The log's bytes are those of the states that
 * only it holds; `addLogBytes(bytes)` adds to the log bytes of the plane and its organization.
 */
export const logFunctions = `
local function addLogBytes(bytes)
  if bytes == 0 then return end
  redis.call('HINCRBY', KEYS[1], 'logBytes', bytes)
  redis.call('HINCRBY', KEYS[8], 'logBytes', bytes)
end

local function openLog(newest)
  if redis.call('HGET', KEYS[1], 'logged') == newest then return end
  redis.call('UNLINK', KEYS[4], KEYS[7])
  addLogBytes(-tonumber(redis.call('HGET', KEYS[1], 'logBytes') or 0))
  redis.call('HSET', KEYS[1], 'compacted', newest, 'logged', newest)
end

local function trimLog(upTo, maxBytes, maxEntries)
  local before = tonumber(redis.call('HGET', KEYS[1], 'logBytes') or 0)
  local bytes = before
  local excess = redis.call('XLEN', KEYS[4]) - maxEntries
  local isOver = upTo > 0 or bytes > maxBytes or excess > 0
  local compacted
  while isOver do
    local entries = redis.call('XRANGE', KEYS[4], '-', '+', 'COUNT', 32)
    local last
    for _, entry in ipairs(entries) do
      local version, replaced = string.sub(entry[1], 1, -3), entry[2][6]
      isOver = bytes > maxBytes or excess > 0 or tonumber(version) <= upTo
      if not isOver then break end
      if replaced ~= '' then
        bytes = bytes - redis.call('HSTRLEN', KEYS[7], replaced)
        redis.call('HDEL', KEYS[7], replaced)
      end
      excess = excess - 1
      last = version
    end
    if not last then break end
    redis.call('XTRIM', KEYS[4], 'MINID', last .. '-1')
    compacted = last
  end
  if not compacted then return end
  redis.call('HSET', KEYS[1], 'compacted', compacted)
  addLogBytes(bytes - before)
end
`;
