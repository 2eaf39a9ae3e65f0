import { changesChannel } from "./keys.ts";
import { logFunctions, nextVersion, usageFunctions, versionOf } from "./lua.ts";
import { nameFunctions } from "./project-record.ts";
import type { Quota, Usage } from "./usage.ts";

/** ARGV: 1 `countedField`. Creates the plane if it does not exist; returns 1 if it was created. */
export const createPlaneScript = `
${nextVersion}
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
local version = nextVersion(0)
redis.call('HSET', KEYS[1], 'rv', version, 'compacted', version, 'logged', version)
redis.call('HSET', KEYS[1], ARGV[1], version, 'logBytes', 0)
return 1
`;

/** Removes a plane with everything in it. ARGV: the counted resources. */
export const removePlaneScript = `
${logFunctions}
${usageFunctions}
local change = {}
for _, name in ipairs(ARGV) do
  change[name] = -tonumber(redis.call('HGET', KEYS[1], name) or 0)
end
count(change)
addLogBytes(-tonumber(redis.call('HGET', KEYS[1], 'logBytes') or 0))
redis.call('UNLINK', unpack(KEYS, 1, 7))
`;

/**
 * Sets the counts of a plane that was written when other resources were counted. ARGV: 1 `countedField`, 2
 * the counted version, 3 the counts as JSON. Returns 1, or 0 if the plane has changed meanwhile.
 */
export const setUsageScript = `
${usageFunctions}
local state = redis.call('HMGET', KEYS[1], 'rv', ARGV[1])
if not state[1] or state[1] == state[2] then return 1 end
if state[1] ~= ARGV[2] then return 0 end
local change = cjson.decode(ARGV[3])
for name, number in pairs(change) do
  change[name] = number - tonumber(redis.call('HGET', KEYS[1], name) or 0)
end
count(change)
redis.call('HSET', KEYS[1], ARGV[1], state[1])
return 1
`;

/** Limits of a plane's change log. */
export interface LogLimits {
  readonly maxEntries: number;
  /** Total bytes of the replaced states. */
  readonly maxBytes: number;
  /**
   * If the organization's planes exceed this in total, a plane being written keeps only {@link crowdedBytes}.
   */
  readonly organizationBytes: number;
  readonly crowdedBytes: number;
}

/** Constraints of a commit, as its script reads them. */
export interface CommitTerms {
  /** Change to the kind's counts, apart from objects and bytes. */
  readonly counts: Usage;
  readonly countedField: string;
  readonly project: Quota;
  readonly organization: Quota;
  readonly log: LogLimits;
  /** Name of a new project, and its record. */
  readonly claim:
    | { readonly name: string; readonly organization: string; readonly record: string }
    | undefined;
  /** Ranges of references that must be empty. */
  readonly unusedBy: readonly (readonly [first: string, last: string])[];
  /** Controller work that the change causes, due at once. */
  readonly work: readonly string[];
  /** ms */
  readonly nowMs: number;
  /** Runs all checks without writing. */
  readonly dryRun: boolean;
}

/**
 * Writes one change. ARGV: 1 object key, 2 expected version ("" if it must not exist yet), 3 event type, 4
 * and 5 the JSON before and after the version, 6 key of the namespace, which must exist and not be
 * terminating ("" for none), 7 the terms as JSON (see `CommitTerms`), 8 number of references before, then
 * these (uids of owners, and see `KindDefinition.references`), then the references after. Returns {"ok",
 * json, version} or an error: {"gone"} no such plane, {"uncounted"}, {"exists"}, {"missing"}, {"modified"},
 * {"no-namespace"}, {"terminating"}, {"leaving"} the plane is being removed, {"claimed"}, {"used"},
 * {"exceeded", quota, resource, requested, used, limit, ...}.
 */
export const commitScript = `
${nextVersion}
${versionOf}
${logFunctions}
${usageFunctions}
${nameFunctions}
local terms = cjson.decode(ARGV[7])
local state = redis.call('HMGET', KEYS[1], 'rv', terms.countedField, 'leaving')
local newest = state[1]
if not newest then return {'gone'} end
if state[2] ~= newest then return {'uncounted'} end
local key, expected, event = ARGV[1], ARGV[2], ARGV[3]
local current = redis.call('HGET', KEYS[2], key)
local replaced = current and versionOf(current) or ''
if expected == '' then
  if current then return {'exists'} end
else
  if not current then return {'missing'} end
  if replaced ~= expected then return {'modified'} end
end
if ARGV[6] ~= '' then
  local namespace = redis.call('HGET', KEYS[2], ARGV[6])
  if not namespace then return {'no-namespace'} end
  local _, stop = string.find(namespace, '"resourceVersion":"%d+"')
  if string.sub(namespace, stop + 1, stop + 22) == ',"deletionTimestamp":"' then return {'terminating'} end
end
if state[3] and event == 'ADDED' then return {'leaving'} end
local claim = terms.claim
if claim and isNameTaken(KEYS[9], KEYS[10], claim.name, claim.organization, terms.nowMs) then
  return {'claimed'}
end
for _, range in ipairs(terms.unusedBy) do
  if #redis.call('ZRANGEBYLEX', KEYS[5], range[1], range[2], 'LIMIT', 0, 1) > 0 then return {'used'} end
end
local version = nextVersion(newest)
local json = ARGV[4] .. version .. ARGV[5]
local change = terms.counts
change.objects = event == 'ADDED' and 1 or event == 'DELETED' and -1 or 0
change.bytes = (event == 'DELETED' and 0 or #json) - (current and #current or 0)
local exceeded = exceeding('project', KEYS[1], terms.project, change)
  or exceeding('organization', KEYS[8], terms.organization, change)
if exceeded then return exceeded end
if terms.dryRun then return {'ok', json, version} end
count(change)
if claim then
  redis.call('HSET', KEYS[9], claim.name, claim.record)
  redis.call('HDEL', KEYS[10], claim.name)
end
openLog(newest)
if event == 'DELETED' then
  redis.call('HDEL', KEYS[2], key)
  redis.call('ZREM', KEYS[3], key)
else
  redis.call('HSET', KEYS[2], key, json)
  redis.call('ZADD', KEYS[3], 0, key)
end
redis.call('XADD', KEYS[4], version .. '-0', 't', event, 'k', key, 'r', replaced)
if current then
  redis.call('HSET', KEYS[7], replaced, current)
  addLogBytes(#current)
end
redis.call('HSET', KEYS[1], 'rv', version, 'logged', version, terms.countedField, version)
local maxBytes = terms.log.maxBytes
if tonumber(redis.call('HGET', KEYS[8], 'logBytes') or 0) > terms.log.organizationBytes then
  maxBytes = math.min(maxBytes, terms.log.crowdedBytes)
end
trimLog(0, maxBytes, terms.log.maxEntries)
local before = tonumber(ARGV[8])
for i = 9, 8 + before do redis.call('ZREM', KEYS[5], ARGV[i] .. ' ' .. key) end
if event ~= 'DELETED' then
  for i = 9 + before, #ARGV do redis.call('ZADD', KEYS[5], 0, ARGV[i] .. ' ' .. key) end
end
-- The fraction distinguishes changes of the same ms, so that none of them is finished with another.
local due = terms.nowMs + (tonumber(version) % 1000) / 1000
for _, item in ipairs(terms.work) do redis.call('ZADD', KEYS[6], due, item) end
redis.call('PUBLISH', '${changesChannel}', KEYS[1])
return {'ok', json, version}
`;

/**
 * Drops old changes. ARGV: 1 the last version to drop (watches can still resume from it), 2 and 3 maximum
 * bytes and entries to keep, 4 `countedField`. Returns the oldest version from which a watch may resume (""
 * if there is no such plane), and whether the plane has been counted.
 */
export const compactScript = `
${logFunctions}
local state = redis.call('HMGET', KEYS[1], 'rv', ARGV[4])
local newest = state[1]
if not newest then return {'', 1} end
openLog(newest)
trimLog(tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]))
return {redis.call('HGET', KEYS[1], 'compacted'), state[2] == newest and 1 or 0}
`;

/**
 * ARGV: for each piece of work the work, its due time when taken, and its next due time ("" removes it). Work
 * that has been requested again since stays as it is.
 */
export const settleWorkScript = `
for i = 1, #ARGV, 3 do
  local item, due, nextDue = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if redis.call('ZSCORE', KEYS[6], item) == due then
    if nextDue == '' then redis.call('ZREM', KEYS[6], item)
    else redis.call('ZADD', KEYS[6], nextDue, item) end
  end
end
`;

/** ARGV: 1 due time (ms), then work. Work that is due already keeps its time. Announced as a change is. */
export const addWorkScript = `
if redis.call('EXISTS', KEYS[1]) == 0 then return end
for i = 2, #ARGV do redis.call('ZADD', KEYS[6], 'LT', ARGV[1], ARGV[i]) end
redis.call('PUBLISH', '${changesChannel}', KEYS[1])
`;

/** ARGV: 1 by how many ms all work becomes due sooner. */
export const advanceWorkScript = `
local work = redis.call('ZRANGE', KEYS[6], 0, -1, 'WITHSCORES')
for i = 1, #work, 2 do redis.call('ZADD', KEYS[6], tonumber(work[i + 1]) - tonumber(ARGV[1]), work[i]) end
`;

/** Refuses new objects from now on. ARGV: none. */
export const leavePlaneScript = `
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'leaving', '1') end
`;
