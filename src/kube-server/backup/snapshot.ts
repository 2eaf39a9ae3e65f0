import type { Clock } from "../../base/core/clock.ts";
import { version } from "../../base/core/version.ts";
import type { RedisConnection } from "../../base/redis/connection.ts";
import type { AccessDirectory } from "../access/directory.ts";
import type { KindDefinition } from "../api/kind.ts";
import { type Plane, planeKey } from "../api/plane.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import type { BackupWriter } from "./backup-file.ts";
import type { BackupRecord } from "./backup-record.ts";
import { type Moment, readMoment } from "./moment.ts";
import { isOfProject, type OwnRecords, projectKindOf } from "./own-records.ts";
import { PlaneSection } from "./plane-section.ts";

export interface SnapshotOptions {
  readonly redis: RedisConnection;
  readonly directory: AccessDirectory;
  readonly store: ObjectStore;
  readonly kinds: readonly KindDefinition[];
  readonly own: OwnRecords;
  readonly clock: Clock;
  readonly writer: BackupWriter;
  onProgress(objects: number): void;
}

export interface SnapshotSummary {
  readonly objects: number;
  readonly planes: number;
  readonly resourceVersion: string;
}

/** Changes are followed this often: the log keeps some seconds of the fastest writes. */
const followEveryMs = 1_000;
const maxReads = 5;

/**
 * Writes everything, or one project, as it is at one moment while clients write: first the objects with the
 * changes made meanwhile, then, in one transaction, everything else and each plane's version, then the
 * changes up to these versions. Memory is bounded by the largest object and what is no object.
 *
 * @param project the only project that is written
 */
export async function writeSnapshot(
  options: SnapshotOptions,
  project: Plane | undefined,
  signal: AbortSignal,
): Promise<SnapshotSummary> {
  const { directory, redis, own, writer, clock } = options;
  const sections = new Map<string, PlaneSection>();
  const reads = new Map<string, number>();
  let count = 0;
  let followedMs = clock.monotonicMs();
  const objects = () => [...sections.values()].reduce((sum, each) => sum + each.objects, 0);

  /** @returns false if the section that is being read has lost its place in the log */
  const keepUp = async (reading: PlaneSection): Promise<boolean> => {
    options.onProgress(objects() + reading.objects);
    if (clock.monotonicMs() - followedMs < followEveryMs) return true;
    for (const [key, section] of sections) {
      if (!(await section.follow(signal))) sections.delete(key);
    }
    const isThere = await reading.follow(signal);
    followedMs = clock.monotonicMs();
    return isThere;
  };
  const readAgain = async (plane: Plane): Promise<void> => {
    const key = planeKey(plane);
    const times = (reads.get(key) ?? 0) + 1;
    if (times > maxReads) {
      throw new Error(
        `${plane.type} ${plane.name} is written to faster than it can be read: try again later`,
      );
    }
    reads.set(key, times);
    const section = new PlaneSection(options, plane, count++);
    if (await section.read(() => keepUp(section), signal)) sections.set(key, section);
  };
  /** @returns whether all planes of the moment are complete */
  const catchUp = async ({ planes }: Moment): Promise<boolean> => {
    let isComplete = true;
    for (const { plane, version: upTo } of planes) {
      const section = sections.get(planeKey(plane));
      if (section !== undefined && (await section.follow(signal, Number(upTo)))) continue;
      sections.delete(planeKey(plane));
      await readAgain(plane);
      isComplete = false;
    }
    return isComplete;
  };

  const createdAt = new Date(clock.nowMs()).toISOString();
  const name = project && `${project.organization}/${project.name}`;
  await writer.add(["backup", { telemetryd: version, createdAt, ...(name && { project: name }) }]);
  for (;;) {
    const moment = await readMoment(redis, directory, project, own.hashes);
    if (project !== undefined && moment.planes.length === 0) throw new Error(`the project ${name} is gone`);
    if (!(await catchUp(moment))) continue;
    for (const { plane, version: upTo, isLeaving, claims, work } of moment.planes) {
      const { number } = sections.get(planeKey(plane)) as PlaneSection;
      for (const item of work) if (!item.startsWith("object ")) await writer.add(["work", number, item]);
      for (const [field, value] of Object.entries(claims)) await writer.add(["claim", number, field, value]);
      await writer.add(["kept", number, upTo, isLeaving]);
    }
    if (project !== undefined) await writeProject(options, project, count);
    for (const record of recordsOf(moment, own, project)) await writer.add(record);
    await writer.add(["end", moment.resourceVersion]);
    await writer.end();
    return { objects: objects(), planes: moment.planes.length, resourceVersion: moment.resourceVersion };
  }
}

/** The object that stands for the project, as the only one of its organization's plane. */
async function writeProject(
  { directory, store, kinds, writer }: SnapshotOptions,
  project: Plane,
  section: number,
): Promise<void> {
  const organizations = await directory.listOrganizations();
  const organization = organizations.find(({ name }) => name === project.organization);
  const key = objectKey(projectKindOf(kinds), "", project.name);
  const json = organization && (await store.get(organization, key));
  if (organization === undefined || json === undefined) throw new Error("the project is gone");
  await writer.add(["plane", section, organization]);
  await writer.add(["object", section, key, json]);
  await writer.add(["kept", section, "0", false]);
}

function* recordsOf(moment: Moment, own: OwnRecords, project: Plane | undefined): Generator<BackupRecord> {
  for (const [key, fields] of moment.hashes) {
    for (const [field, value] of Object.entries(fields)) {
      if (project === undefined || isOfProject(own, project, { key, field, value }))
        yield ["hash", key, field, value];
    }
  }
  if (project !== undefined) return;
  for (const [key, members] of moment.sets) for (const member of members) yield ["member", key, member];
  yield* own.derived(moment);
}
