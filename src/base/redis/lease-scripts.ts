/**
 * The Lua of leases. A lease is two keys. The first expires, and contains its holder's name while somebody
 * holds the lease. The second is a hash that stays; its field `fence` differs from one taking of the lease to
 * the next, and its field `leasedAt` is the time of the last one. Times are Redis' own, so that replicas'
 * clocks need not agree.
 *
 * A script of a lease begins with {@link leaseFunctions}. KEYS: lease, hash with the fence, then its own.
 * ARGV: owner, ttl ms, fence ("" in the script that takes the lease), then its own.
 */

export const redisTime = `
local function nowMs()
  local time = redis.call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
`;

/**
 * - `takeLease()` returns the new fence, or nil and the remaining ms of another owner's lease.
 * - `holdsLease()`: whether the lease was neither ended nor taken since. Every write that only the holder may
 *   make checks it in the same script. It is also true of a lease that has expired, until another owner
 *   takes it.
 * - `renewLease()` and `endLease()` return false when `holdsLease()` does. A lease that expired, or whose
 *   first key Redis lost, can be renewed.
 */
export const leaseFunctions = `
${redisTime}
local function lastNumber()
  return tonumber(string.match(redis.call("HGET", KEYS[2], "fence") or "", "^%d+")) or 0
end
local function takeLease()
  local holder = redis.call("GET", KEYS[1])
  if holder and holder ~= ARGV[1] then return nil, math.max(redis.call("PTTL", KEYS[1]), 1) end
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  local fence = lastNumber() + 1 .. "-" .. ARGV[1]
  redis.call("HSET", KEYS[2], "fence", fence, "leasedAt", nowMs())
  return fence
end
local function holdsLease()
  return redis.call("HGET", KEYS[2], "fence") == ARGV[3]
end
local function renewLease()
  if not holdsLease() then return false end
  redis.call("SET", KEYS[1], ARGV[1], "PX", ARGV[2])
  return true
end
local function endLease()
  if not holdsLease() then return false end
  if redis.call("GET", KEYS[1]) == ARGV[1] then redis.call("DEL", KEYS[1]) end
  -- A renewal or write that is still under way comes too late.
  redis.call("HSET", KEYS[2], "fence", lastNumber() .. "-")
  return true
end
`;

/** The steps of a lease. A user of leases that does more in the same step brings its own scripts. */
export interface LeaseScripts {
  /** Returns {"taken", fence, ...}; or {"held", ms}; or {"refused", ms} for the user's own reason to wait. */
  readonly take: string;
  /** Returns 1, or 0 when the lease was ended or another owner has taken it. */
  readonly renew: string;
  /** Returns 1, or 0 when the lease was ended or another owner has taken it. */
  readonly release: string;
}

/** A lease that is nothing but a lease. */
export const plainLease: LeaseScripts = {
  take: `
${leaseFunctions}
local fence, restMs = takeLease()
if not fence then return {"held", restMs} end
return {"taken", fence}
`,
  renew: `
${leaseFunctions}
return renewLease() and 1 or 0
`,
  release: `
${leaseFunctions}
return endLease() and 1 or 0
`,
};
