import { TelemetrydError } from "../../base/core/errors.ts";
import { keyPrefix } from "../../base/redis/connection.ts";
import { revisionKey, rolesKey } from "../access/access-keys.ts";
import type { AccessDirectory } from "../access/directory.ts";
import type { Plane } from "../api/plane.ts";
import type { Resources } from "../resources/resources.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import { type BackupContents, countedRecords, type KeptSection, type OpenBackup } from "./contents.ts";
import { bareKey } from "./moment.ts";
import { type HashField, isOfProject, projectKindOf } from "./own-records.ts";
import type { RestoreOptions, RestoreSummary } from "./restore.ts";
import { noteRestore, restoreJournalKey } from "./restore-journal.ts";
import { Batch, RestoredPlanes } from "./restored-planes.ts";

export interface ProjectRestoreOptions extends RestoreOptions {
  readonly directory: AccessDirectory;
  readonly store: ObjectStore;
  readonly resources: Resources;
}

export interface ProjectRestoreSummary extends RestoreSummary {
  /** What the project had, and another has by now. */
  readonly missing: readonly string[];
}

/**
 * Restores one project into a platform that has its organization, and no project of that name. The last step
 * creates the Project: it makes the name the project's, and its control plane visible.
 *
 * @param wanted `ORGANIZATION/NAME`
 * @throws INVALID_ARGUMENT if it is not in the backup, or cannot be in this platform
 */
export async function restoreProject(
  options: ProjectRestoreOptions,
  open: OpenBackup,
  contents: BackupContents,
  wanted: string,
  signal: AbortSignal,
): Promise<ProjectRestoreSummary> {
  const { redis, own, resources, kinds, nowMs } = options;
  const [section, { plane: project }] = findProject(contents, wanted);
  const kind = projectKindOf(kinds);
  const key = objectKey(kind, "", project.name);
  const organization = await organizationFor(options, project, key);
  const planes = new RestoredPlanes(
    options,
    new Map([[section, contents.sections.get(section) as KeptSection]]),
  );
  const missing: string[] = [];
  const undo: (() => Promise<unknown>)[] = [() => redis.unlink(restoreJournalKey), () => planes.clear()];
  const giveBack = async (field: HashField): Promise<void> => {
    if (field.key === bareKey(rolesKey(project.organization))) {
      await redis.hset(`${keyPrefix}:${field.key}`, field.field, field.value);
      undo.push(() => redis.hdel(`${keyPrefix}:${field.key}`, field.field));
      return;
    }
    const adopted = await own.adopt(redis, project, field, nowMs);
    if (adopted.kind === "refused") throw new TelemetrydError("INVALID_ARGUMENT", adopted.message);
    if (adopted.kind === "missing") missing.push(adopted.message);
    else undo.push(() => adopted.undo());
  };
  await planes.clear();
  await noteRestore(redis, [project], []);
  try {
    let objects = 0;
    let json: string | undefined;
    const batch = new Batch(redis);
    for await (const record of countedRecords(open, contents)) {
      signal.throwIfAborted();
      if ("json" in record) {
        if (record.section === section) {
          await batch.add(record.json.length, (pipeline) =>
            planes.write(pipeline, section, record.key, record.json),
          );
          options.onProgress(++objects);
        } else if (record.key === key && isPlaneOf(contents, record.section, project.organization)) {
          json = record.json;
        }
      } else if (record[0] === "work") {
        if (record[1] === section)
          await batch.add(record[2].length, (to) => planes.addWork(to, section, record[2]));
      } else if (record[0] === "claim") {
        const [, from, field, value] = record;
        if (from === section)
          await batch.add(value.length, (to) => planes.addClaim(to, section, field, value));
      } else if (record[0] === "hash") {
        const field = { key: record[1], field: record[2], value: record[3] };
        if (isOfProject(own, project, field)) await giveBack(field);
      }
    }
    await batch.send();
    if (json === undefined) throw notThere(wanted);
    await planes.complete(contents.resourceVersion);
    await redis.incr(revisionKey);
    const target = { plane: organization, kind, namespace: "", name: project.name };
    await resources.write(target, "ADDED", parseStored(json), undefined);
    await redis.unlink(restoreJournalKey);
    await planes.announce();
    return { objects, planes: 1, missing };
  } catch (error) {
    // The reply of the last step may be lost: what is visible stays.
    const isVisible = (await options.directory.listProjects()).some(({ uid }) => uid === project.uid);
    for (const each of isVisible ? [] : undo.reverse()) await each();
    throw error;
  }
}

function isPlaneOf({ sections }: BackupContents, section: number, organization: string): boolean {
  const plane = sections.get(section)?.plane;
  return plane?.type === "organization" && plane.name === organization;
}

function findProject({ sections }: BackupContents, wanted: string): readonly [number, KeptSection] {
  for (const each of sections) {
    const { type, organization, name } = each[1].plane;
    if (type === "project" && `${organization}/${name}` === wanted) return each;
  }
  throw notThere(wanted);
}

/** The organization that gets the project; nothing of an earlier one may be left. */
async function organizationFor(
  { directory, store }: ProjectRestoreOptions,
  project: Plane,
  key: string,
): Promise<Plane> {
  const { organization: owner, name } = project;
  const organization = (await directory.listOrganizations()).find((each) => each.name === owner);
  if (organization === undefined) {
    const remedy = `create it with "telemetryd organization create ${owner}"`;
    throw new TelemetrydError("INVALID_ARGUMENT", `there is no organization ${owner}: ${remedy}`);
  }
  const isTaken = (await directory.listProjects()).some((each) => each.name === name);
  if (isTaken || (await store.get(organization, key)) !== undefined) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      `there is a project ${name} already: delete it (kubectl delete project ${name}), wait until it is gone, and repeat`,
    );
  }
  return organization;
}

function notThere(wanted: string): TelemetrydError {
  return new TelemetrydError("INVALID_ARGUMENT", `the backup has no project ${wanted}`);
}
