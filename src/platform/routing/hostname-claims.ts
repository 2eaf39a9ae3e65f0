import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";

/** A domain whose hostnames the operator gives to a project. */
export interface HostnameZone {
  readonly domain: string;
  /** Name of the project. */
  readonly project: string;
}

/** A Gateway of a project. */
export interface HostnameOwner {
  /** uid of the project. */
  readonly project: string;
  /** uid of the Gateway. */
  readonly gateway: string;
}

export interface HostnameClaim extends HostnameOwner {
  /** When its proof was looked up last (Unix epoch, ms). */
  readonly checkedMs: number;
  /** Since when the proof is missing (Unix epoch, ms). */
  readonly lostMs?: number;
}

/**
 * Who holds which hostname, over all projects, kept in Redis. A claim is one atomic step, so that of two
 * daemons only one gives a hostname away.
 */
export interface HostnameClaims {
  /** @returns the claim of each hostname; undefined: it is free */
  of(hostnames: readonly string[]): Promise<(HostnameClaim | undefined)[]>;
  /** @returns `full`: the project has as many as it may have */
  claim(hostname: string, owner: HostnameOwner, nowMs: number): Promise<"held" | "taken" | "full">;
  /** Stores the outcome of a proof that was looked up again; does nothing to another one's claim. */
  note(hostname: string, claim: HostnameClaim): Promise<void>;
  /** The hostnames of a Gateway. */
  held(gateway: string): Promise<string[]>;
  /** Releases hostnames that a Gateway holds; others stay. */
  release(gateway: string, hostnames: readonly string[]): Promise<void>;
}

/** Of one project. */
export const maxHostnames = 100;

const prefix = `${keyPrefix}:gateway`;
/** Hash: hostname to `<project> <gateway> <checked> <lost, or 0>`. */
export const hostnamesKey = `${prefix}:hostnames`;
/** Hash: uid of a project to how many hostnames it holds. */
export const hostnameCountsKey = `${prefix}:hostname-counts`;
/** Set of the hostnames that a Gateway holds. */
export const heldHostnamesKey = (gateway: string): string => `${prefix}:hostnames:${gateway}`;

/** KEYS: claims, counts, the Gateway's set. ARGV: 1 hostname, 2 project, 3 gateway, 4 now (ms), 5 most. */
const claimScript = `
local held = redis.call('HGET', KEYS[1], ARGV[1])
local owner = ARGV[2] .. ' ' .. ARGV[3] .. ' '
if held then
  if string.sub(held, 1, #owner) == owner then return 'held' end
  return 'taken'
end
if tonumber(redis.call('HGET', KEYS[2], ARGV[2]) or 0) >= tonumber(ARGV[5]) then return 'full' end
redis.call('HSET', KEYS[1], ARGV[1], owner .. ARGV[4] .. ' 0')
redis.call('HINCRBY', KEYS[2], ARGV[2], 1)
redis.call('SADD', KEYS[3], ARGV[1])
return 'held'
`;

/** KEYS: claims. ARGV: 1 hostname, 2 project, 3 gateway, 4 checked, 5 lost. */
const noteScript = `
local owner = ARGV[2] .. ' ' .. ARGV[3] .. ' '
local held = redis.call('HGET', KEYS[1], ARGV[1])
if held and string.sub(held, 1, #owner) == owner then
  redis.call('HSET', KEYS[1], ARGV[1], owner .. ARGV[4] .. ' ' .. ARGV[5])
end
`;

/** KEYS: claims, counts, the Gateway's set. ARGV: 1 gateway, then hostnames. */
const releaseScript = `
for i = 2, #ARGV do
  redis.call('SREM', KEYS[3], ARGV[i])
  local held = redis.call('HGET', KEYS[1], ARGV[i])
  local project, gateway = string.match(held or '', '^(%S+) (%S+) ')
  if gateway == ARGV[1] then
    redis.call('HDEL', KEYS[1], ARGV[i])
    if redis.call('HINCRBY', KEYS[2], project, -1) <= 0 then redis.call('HDEL', KEYS[2], project) end
  end
end
`;

export function createHostnameClaims(redis: RedisConnection): HostnameClaims {
  return {
    async of(hostnames) {
      if (hostnames.length === 0) return [];
      return (await redis.hmget(hostnamesKey, ...hostnames)).map(parseClaim);
    },
    async claim(hostname, { project, gateway }, nowMs) {
      const keys = [hostnamesKey, hostnameCountsKey, heldHostnamesKey(gateway)];
      const args = [hostname, project, gateway, Math.floor(nowMs), maxHostnames];
      return (await runScript(redis, claimScript, keys, args)) as "held" | "taken" | "full";
    },
    async note(hostname, { project, gateway, checkedMs, lostMs = 0 }) {
      const args = [hostname, project, gateway, Math.floor(checkedMs), Math.floor(lostMs)];
      await runScript(redis, noteScript, [hostnamesKey], args);
    },
    async held(gateway) {
      return await redis.smembers(heldHostnamesKey(gateway));
    },
    async release(gateway, hostnames) {
      if (hostnames.length === 0) return;
      const keys = [hostnamesKey, hostnameCountsKey, heldHostnamesKey(gateway)];
      await runScript(redis, releaseScript, keys, [gateway, ...hostnames]);
    },
  };
}

export function parseClaim(text: string | null): HostnameClaim | undefined {
  if (text === null) return undefined;
  const [project = "", gateway = "", checked, lost] = text.split(" ");
  const lostMs = Number(lost);
  return { project, gateway, checkedMs: Number(checked), ...(lostMs > 0 ? { lostMs } : {}) };
}
