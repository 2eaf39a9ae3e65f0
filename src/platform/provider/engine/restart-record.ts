import { isObject } from "../../../base/documents/yaml/document-path.ts";
import type { InspectedContainer } from "./engine-objects.ts";
import type { InstanceFiles } from "./instance-files.ts";
import { labelOf } from "./labels.ts";

/** What was seen last of a container, by its name. */
export interface SeenStart {
  /** The engine's id: a container that replaces another one begins at 0. */
  readonly id: string;
  readonly startedAt: string;
  /** Restarts by the engine itself, which it forgets with a start that it was asked for. */
  readonly byEngine: number;
  /** Restarts by anybody. */
  readonly restarts: number;
}

/** @param before undefined: the container was not seen yet, or had not been started */
export function countRestarts(
  before: SeenStart | undefined,
  { Id, State, RestartCount }: Pick<InspectedContainer, "Id" | "State" | "RestartCount">,
): SeenStart {
  const seen = { id: Id, startedAt: State.StartedAt, byEngine: RestartCount };
  if (before?.id !== Id) return { ...seen, restarts: RestartCount };
  if (before.startedAt === seen.startedAt) return { ...seen, restarts: before.restarts };
  // Several may have happened between two looks; of those only the engine knows the number.
  const more = RestartCount > before.byEngine ? RestartCount - before.byEngine : 1;
  return { ...seen, restarts: before.restarts + more };
}

const recordName = "restarts";

/** Counts the restarts of containers, also over restarts of this daemon: the engine's count begins again. */
export class RestartRecord {
  readonly #files: InstanceFiles;
  readonly #seen = new Map<string, ReadonlyMap<string, SeenStart>>();

  constructor(files: InstanceFiles) {
    this.#files = files;
  }

  /**
   * Takes note of an instance's containers that were started.
   *
   * @returns what is known of each, by its name
   * @throws RuntimeError
   */
  async note(
    uid: string,
    containers: readonly InspectedContainer[],
  ): Promise<ReadonlyMap<string, SeenStart>> {
    const before = await this.#read(uid);
    const after = new Map<string, SeenStart>();
    for (const container of containers) {
      const name = container.Config.Labels[labelOf.container] ?? "";
      if (!(Date.parse(container.State.StartedAt) > 0)) continue;
      after.set(name, countRestarts(before.get(name), container));
    }
    this.#seen.set(uid, after);
    const [is, was] = [after, before].map((each) => JSON.stringify([...each]));
    if (is !== was) await this.#files.writeRecord(uid, recordName, Object.fromEntries(after));
    return after;
  }

  /** @returns 0 for a container that nothing is known of @throws RuntimeError */
  async restarts(uid: string, container: string): Promise<number> {
    return (await this.#read(uid)).get(container)?.restarts ?? 0;
  }

  forget(uid: string): void {
    this.#seen.delete(uid);
  }

  async #read(uid: string): Promise<ReadonlyMap<string, SeenStart>> {
    const known = this.#seen.get(uid);
    if (known !== undefined) return known;
    const record = await this.#files.readRecord(uid, recordName);
    return new Map(isObject(record) ? (Object.entries(record) as [string, SeenStart][]) : []);
  }
}
