import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { accessKeys, organizationsKey } from "../access/access-keys.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { claimsKey, planeKeys, projectsKey } from "../store/keys.ts";

type Fields = Readonly<Record<string, string>>;

/** What a backup holds apart from objects, all of it as it was at one moment. */
export interface Moment {
  /** Of Redis' clock, µs: greater than every resource version. */
  readonly resourceVersion: string;
  readonly planes: readonly PlaneMoment[];
  /** By the key without the prefix of all keys. */
  readonly hashes: ReadonlyMap<string, Fields>;
  readonly sets: ReadonlyMap<string, readonly string[]>;
}

export interface PlaneMoment {
  readonly plane: Plane;
  readonly version: string;
  readonly isLeaving: boolean;
  readonly claims: Fields;
  readonly work: readonly string[];
}

const maxAttempts = 20;

/** The key in a backup. */
export function bareKey(key: string): string {
  return key.slice(keyPrefix.length + 1);
}

/**
 * Reads everything but the objects in one transaction.
 *
 * @param only the project whose plane is read; undefined: all planes
 * @param hashes keys of hashes besides those of the access data
 */
export async function readMoment(
  redis: RedisConnection,
  directory: Pick<AccessDirectory, "listOrganizations" | "listProjects">,
  only: Plane | undefined,
  hashes: readonly string[],
): Promise<Moment> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const all = [...(await directory.listOrganizations()), ...(await directory.listProjects())];
    const moment = await readAt(redis, all, only, hashes);
    // Those that came meanwhile have keys that were not read.
    const found = [organizationsKey, projectsKey].flatMap((key) =>
      Object.values(moment.hashes.get(bareKey(key)) ?? {}).map((json) => (JSON.parse(json) as Plane).uid),
    );
    const uids = all.map(({ uid }) => uid);
    if (found.sort().join() === uids.sort().join()) return moment;
  }
  throw new Error("organizations or projects were created all the time");
}

async function readAt(
  redis: RedisConnection,
  all: readonly Plane[],
  only: Plane | undefined,
  hashes: readonly string[],
): Promise<Moment> {
  const access = accessKeys(all.filter(({ type }) => type === "organization").map(({ name }) => name));
  const allHashes = [...access.hashes, ...hashes];
  const planes = only === undefined ? all : all.filter(({ uid }) => uid === only.uid);
  const transaction = redis.multi().time();
  for (const key of allHashes) transaction.hgetall(key);
  for (const key of access.sets) transaction.smembers(key);
  for (const plane of planes) {
    const { plane: state, work } = planeKeys(planeKey(plane));
    transaction
      .hmget(state, "rv", "leaving")
      .hgetall(claimsKey(planeKey(plane)))
      .zrange(work, 0, -1);
  }
  const replies = ((await transaction.exec()) ?? []).map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
  const [seconds = "", micros = ""] = replies.shift() as string[];
  const readHashes = replies.splice(0, allHashes.length) as Fields[];
  const readSets = replies.splice(0, access.sets.length) as string[][];
  const readPlanes = planes.map((plane): PlaneMoment | undefined => {
    const [state, claims, work] = replies.splice(0, 3) as [(string | null)[], Fields, string[]];
    const [version, leaving] = state;
    // A plane that is only being created, or was just removed.
    if (typeof version !== "string") return undefined;
    return { plane, version, isLeaving: typeof leaving === "string", claims, work };
  });
  return {
    resourceVersion: `${seconds}${micros.padStart(6, "0")}`,
    planes: readPlanes.filter((plane) => plane !== undefined),
    hashes: new Map(allHashes.map((key, index) => [bareKey(key), readHashes[index] ?? {}])),
    sets: new Map(access.sets.map((key, index) => [bareKey(key), readSets[index] ?? []])),
  };
}
