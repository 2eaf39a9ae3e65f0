import type { RedisConnection } from "../../base/redis/connection.ts";
import { runScript } from "../../base/redis/run-script.ts";
import { type Plane, planeKey } from "../../kube-server/api/plane.ts";
import { formerProjectsKey, planeKeys, projectsKey } from "../../kube-server/store/keys.ts";
import { nameFunctions, type ProjectRecord } from "../../kube-server/store/project-record.ts";

/**
 * Names of projects are unique across all organizations, because a plane's address and the samples of a
 * project contain nothing else. A name has one record: the project's uid and its organization. The commit
 * that creates a Project writes it (see `commitScript`), so neither exists without the other.
 */
export interface ProjectNames {
  /**
   * Restores a Project's missing record; does nothing if the Project no longer exists.
   *
   * @param objectKey of the Project, in its organization's plane
   * @returns false if the name belongs to another project, or is reserved for another organization
   */
  restore(organization: Plane, objectKey: string, project: Plane, nowMs: number): Promise<boolean>;
  /**
   * Removes a project's record, and reserves the name for its organization while the project's samples may
   * still be in the metrics store. Does nothing if the name belongs to another uid.
   */
  release(project: Plane, nowMs: number): Promise<void>;
  /**
   * Removes a record that no Project has, and that no control plane was ever made for: an earlier version of
   * the program wrote it before the Project, and lost its connection in between.
   *
   * @returns whether it was removed
   */
  removeOrphan(organization: Plane, objectKey: string, project: Plane): Promise<boolean>;
  /** Drops the reservations that have expired. */
  expire(nowMs: number): Promise<void>;
}

/** KEYS: 1 records, 2 former names, 3 objects. ARGV: 1 object key, 2 uid, 3 name, 4 organization, 5 record, 6 ms. */
const restoreScript = `
${nameFunctions}
local object = redis.call('HGET', KEYS[3], ARGV[1])
if not object or not string.find(object, '"uid":"' .. ARGV[2] .. '"', 1, true) then return 1 end
local held = redis.call('HGET', KEYS[1], ARGV[3])
if held then return cjson.decode(held).uid == ARGV[2] and 1 or 0 end
if isNameTaken(KEYS[1], KEYS[2], ARGV[3], ARGV[4], tonumber(ARGV[6])) then return 0 end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[5])
redis.call('HDEL', KEYS[2], ARGV[3])
return 1
`;

/** KEYS: 1 records, 2 former names. ARGV: 1 name, 2 uid, 3 the reservation ("" for none). */
const releaseScript = `
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held or cjson.decode(held).uid ~= ARGV[2] then return end
redis.call('HDEL', KEYS[1], ARGV[1])
if ARGV[3] ~= '' then redis.call('HSET', KEYS[2], ARGV[1], ARGV[3]) end
`;

/** KEYS: 1 records, 2 objects, 3 the project's plane. ARGV: 1 object key, 2 uid, 3 name. */
const removeOrphanScript = `
local held = redis.call('HGET', KEYS[1], ARGV[3])
if not held or cjson.decode(held).uid ~= ARGV[2] or redis.call('EXISTS', KEYS[3]) == 1 then return 0 end
local object = redis.call('HGET', KEYS[2], ARGV[1])
if object and string.find(object, '"uid":"' .. ARGV[2] .. '"', 1, true) then return 0 end
return redis.call('HDEL', KEYS[1], ARGV[3])
`;

/** KEYS: 1 former names. ARGV: 1 ms. */
const expireScript = `
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if cjson.decode(all[i + 1]).untilMs <= tonumber(ARGV[1]) then redis.call('HDEL', KEYS[1], all[i]) end
end
`;

/** @param retentionMs how long a deleted project's name is reserved; see {@link ProjectNames.release} */
export function createProjectNames(redis: RedisConnection, retentionMs: number): ProjectNames {
  const recordOf = ({ uid, organization }: Plane): string =>
    JSON.stringify({ uid, organization } satisfies ProjectRecord);
  return {
    async restore(organization, objectKey, project, nowMs) {
      const { name, uid } = project;
      const keys = [projectsKey, formerProjectsKey, planeKeys(planeKey(organization)).objects];
      const args = [objectKey, uid, name, project.organization, recordOf(project), nowMs];
      return (await runScript(redis, restoreScript, keys, args)) === 1;
    },
    async release({ name, uid, organization }, nowMs) {
      const reservation = JSON.stringify({ organization, untilMs: nowMs + retentionMs });
      const args = [name, uid, retentionMs > 0 ? reservation : ""];
      await runScript(redis, releaseScript, [projectsKey, formerProjectsKey], args);
    },
    async removeOrphan(organization, objectKey, project) {
      const plane = planeKeys(planeKey(project)).plane;
      const keys = [projectsKey, planeKeys(planeKey(organization)).objects, plane];
      return (await runScript(redis, removeOrphanScript, keys, [objectKey, project.uid, project.name])) === 1;
    },
    async expire(nowMs) {
      await runScript(redis, expireScript, [formerProjectsKey], [nowMs]);
    },
  };
}
