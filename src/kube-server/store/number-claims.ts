import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { claimsKey } from "./keys.ts";

/** First and last number of a range. */
export type NumberRange = readonly [first: number, last: number];

/**
 * Numbers that one owner each holds, such as the host addresses of a subnet. A claim is one atomic step, so
 * two replicas never give the same number to two owners.
 */
export interface NumberClaims {
  /**
   * Claims the first free number of the ranges, in their order; the number that the owner holds if it has
   * one. At most 65,536 numbers are tried.
   *
   * @param pool of the plane, such as a subnet's uid
   * @param owner uid of the owner, then `/` and a suffix
   * @returns undefined if none is free
   */
  claim(
    plane: Plane,
    pool: string,
    owner: string,
    ranges: readonly NumberRange[],
  ): Promise<number | undefined>;
  /** Releases everything that an owner of the plane holds. @param uid without the suffix */
  releaseOf(plane: Plane, uid: string): Promise<void>;
  /** As {@link claim}, in a pool that all planes share. */
  claimShared(pool: string, owner: string, ranges: readonly NumberRange[]): Promise<number | undefined>;
  releaseShared(pool: string, owner: string): Promise<void>;
  /** Owner of a number in a pool that all planes share; undefined if it is free. */
  sharedOwner(pool: string, number: number): Promise<string | undefined>;
  /** Forgets a plane that is gone. */
  removePlane(plane: Plane): Promise<void>;
}

/**
 * KEYS: 1 hash, `<pool> <number>` to owner and `<owner>` to `<pool> <number>`. ARGV: 1 pool, 2 owner, then
 * pairs of first and last number. Returns the number, or "".
 */
const claimScript = `
local held = redis.call('HGET', KEYS[1], ARGV[2])
if held then
  local pool, number = string.match(held, '^(%S+) (%d+)$')
  if pool == ARGV[1] then return number end
  redis.call('HDEL', KEYS[1], held, ARGV[2])
end
local tries = 65536
for i = 3, #ARGV, 2 do
  for number = tonumber(ARGV[i]), tonumber(ARGV[i + 1]) do
    local field = ARGV[1] .. ' ' .. string.format('%.0f', number)
    if redis.call('HSETNX', KEYS[1], field, ARGV[2]) == 1 then
      redis.call('HSET', KEYS[1], ARGV[2], field)
      return string.format('%.0f', number)
    end
    tries = tries - 1
    if tries == 0 then return '' end
  end
end
return ''
`;

/** ARGV: owners. */
const releaseScript = `
for _, owner in ipairs(ARGV) do
  local held = redis.call('HGET', KEYS[1], owner)
  if held then redis.call('HDEL', KEYS[1], held, owner) end
end
`;

/** Hash of a pool that all planes share: as {@link claimScript} has it. */
export function sharedClaimsKey(pool: string): string {
  return `${keyPrefix}:platform:claims:${pool}`;
}

/** Interfaces of an instance, and families of a network, are far fewer. */
const suffixes = Array.from({ length: 16 }, (_, index) => String(index));

export function createNumberClaims(redis: RedisConnection): NumberClaims {
  const claim = async (key: string, pool: string, owner: string, ranges: readonly NumberRange[]) => {
    const number = (await runScript(redis, claimScript, [key], [pool, owner, ...ranges.flat()])) as string;
    return number === "" ? undefined : Number(number);
  };
  return {
    async claim(plane, pool, owner, ranges) {
      return await claim(claimsKey(planeKey(plane)), pool, owner, ranges);
    },
    async releaseOf(plane, uid) {
      const owners = suffixes.map((suffix) => `${uid}/${suffix}`);
      await runScript(redis, releaseScript, [claimsKey(planeKey(plane))], owners);
    },
    async claimShared(pool, owner, ranges) {
      return await claim(sharedClaimsKey(pool), pool, owner, ranges);
    },
    async releaseShared(pool, owner) {
      await runScript(redis, releaseScript, [sharedClaimsKey(pool)], [owner]);
    },
    async sharedOwner(pool, number) {
      return (await redis.hget(sharedClaimsKey(pool), `${pool} ${number}`)) ?? undefined;
    },
    async removePlane(plane) {
      await redis.unlink(claimsKey(planeKey(plane)));
    },
  };
}
