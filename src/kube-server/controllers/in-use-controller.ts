import type { KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";
import { usersOf } from "../resources/target.ts";
import type { Users } from "../store/commit.ts";
import { collectionPrefix, parseObjectKey } from "../store/keys.ts";
import type { UsersOfKind } from "../store/object-store.ts";
import { type ControlObjectsOptions, createControlObjects } from "./control-objects.ts";
import { type Controller, done, type Reconciled } from "./controller.ts";
import { createEventRecorder } from "./events.ts";

const component = "in-use-controller";
const namedUsers = 3;
/** Users that go together cause one look. */
const restMs = 1_000;
const maxAnnounced = 10_000;

/**
 * Lets objects of a kind go that were deleted while others used them (see `KindDefinition.usedBy`), once the
 * last user is gone. Meanwhile an event says what the deletion waits for, and the condition `Terminating`
 * where the kind has a status.
 */
export function createInUseController(
  options: ControlObjectsOptions,
  kind: KindDefinition,
  { finalizer, kinds }: NonNullable<KindDefinition["usedBy"]>,
): Controller {
  const objects = createControlObjects(options, component);
  const events = createEventRecorder(options, component);
  const prefix = collectionPrefix(kind, undefined);
  /** Uids of those that had their event; after a restart, it is counted again. */
  const announced = new Set<string>();

  const usedKeys = (user: KindDefinition, object: KubeObject | undefined): readonly string[] =>
    object === undefined ? [] : (user.uses?.(object) ?? []).filter((key) => key.startsWith(prefix));

  return {
    kind,
    ignores: () => true,
    watches: kinds.map((user) => ({
      kind: user,
      affects(object, old) {
        const before = usedKeys(user, old);
        if (before.length === 0) return [];
        const kept = new Set(usedKeys(user, object));
        return before.filter((key) => !kept.has(key)).map((key) => `object ${key}`);
      },
    })),
    async reconcile(target, object): Promise<Reconciled> {
      const { uid = "", deletionTimestamp, finalizers = [] } = object.metadata;
      const users = usersOf({ ...target, kind });
      if (users === undefined || deletionTimestamp === undefined || !finalizers.includes(finalizer))
        return done;
      const found = await options.store.users(target.plane, users, namedUsers);
      const message = waitsFor(users, found);
      if (message === undefined) {
        await objects.dropFinalizer(target, finalizer);
        announced.delete(uid);
        return done;
      }
      if (kind.statusSubresource) {
        const condition = { type: "Terminating", status: "True", reason: "InUse", message } as const;
        await objects.setStatus(target, [condition], {}, object);
      }
      if (!announced.has(uid)) {
        if (announced.size >= maxAnnounced) announced.clear();
        announced.add(uid);
        await events.record(target, object, { type: "Warning", reason: "InUse", message });
      }
      return { done: true, restMs };
    },
  };
}

/** @returns undefined if there is none */
export function waitsFor({ kinds }: Users, found: readonly UsersOfKind[]): string | undefined {
  const parts = found.flatMap(({ count, keys }, index) => {
    if (count === 0) return [];
    const names = keys.map((key) => {
      const { namespace, name } = parseObjectKey(key);
      return `${namespace}/${name}`;
    });
    const others = count > keys.length ? ["…"] : [];
    return [`${count} ${kinds[index]?.plural} (${[...names, ...others].join(", ")})`];
  });
  return parts.length === 0
    ? undefined
    : `The deletion waits until nothing uses the object any more: ${parts.join(" and ")}`;
}
