import type { Clock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import type { AccessDirectory } from "../../kube-server/access/directory.ts";
import type { Plane } from "../../kube-server/api/plane.ts";
import { PlaneGoneError } from "../../kube-server/api/status.ts";
import { objectWork } from "../../kube-server/controllers/work-items.ts";
import { list } from "../../kube-server/resources/list.ts";
import { objectKey } from "../../kube-server/store/keys.ts";
import type { ObjectStore } from "../../kube-server/store/object-store.ts";
import { projectKind } from "../kinds/resourcemanager/project.ts";
import type { ProjectNames } from "./project-names.ts";

export interface NameSweepOptions {
  readonly groupDomain: string;
  readonly directory: Pick<AccessDirectory, "listOrganizations" | "listProjects">;
  readonly names: ProjectNames;
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly log: Logger;
}

const sweepEveryMs = 5 * 60_000;
const everything = { limit: 0, afterKey: "", resourceVersion: "", minimumVersion: "" };

/**
 * Repairs what an earlier version of the program left when it lost its connection to Redis while it created a
 * Project: Projects without the record of their name (their controller restores it), and records without a
 * Project. Any replica may run it, also several at once.
 *
 * @returns a tick of a loop; it returns the pause, ms
 */
export function createNameSweep(options: NameSweepOptions): () => Promise<number> {
  const { groupDomain, directory, names, store, clock, log } = options;
  const kind = projectKind(groupDomain);

  const uidsOf = async (organization: Plane): Promise<Map<string, string>> => {
    const uids = new Map<string, string>();
    try {
      for await (const part of list(store, { plane: organization, kind, namespace: undefined }, everything)) {
        for (const listed of part.objects) {
          const { name = "", uid = "" } = listed.object().metadata;
          uids.set(name, uid);
        }
      }
    } catch (error) {
      // An organization whose creation has not finished.
      if (!(error instanceof PlaneGoneError)) throw error;
    }
    return uids;
  };

  return async () => {
    const records = new Map((await directory.listProjects()).map((record) => [record.name, record]));
    for (const organization of await directory.listOrganizations()) {
      const uids = await uidsOf(organization);
      const unnamed = [...uids].filter(([name, uid]) => records.get(name)?.uid !== uid);
      await store.addWork(
        organization,
        unnamed.map(([name]) => objectWork(kind, "", name)),
        clock.nowMs(),
      );
      for (const record of records.values()) {
        if (record.organization !== organization.name || uids.get(record.name) === record.uid) continue;
        if (await names.removeOrphan(organization, objectKey(kind, "", record.name), record)) {
          log.info({ project: record.name }, "a project name without a project was released");
        }
      }
    }
    await names.expire(clock.nowMs());
    return sweepEveryMs;
  };
}
