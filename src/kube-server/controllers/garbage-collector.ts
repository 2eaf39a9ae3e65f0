import type { Clock } from "../../base/core/clock.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import type { JsonObject, KubeObject } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { qualifiedPlural, StatusError } from "../api/status.ts";
import type { Propagation } from "../resources/delete-options.ts";
import { deleteObject, foregroundFinalizer, orphanFinalizer } from "../resources/deletion.ts";
import type { Resources } from "../resources/resources.ts";
import { serverWrites, type Target } from "../resources/target.ts";
import { objectKey, parseObjectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import { again, done, type Reconciled } from "./controller.ts";

export interface GarbageCollectorOptions {
  readonly kinds: readonly KindDefinition[];
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly clock: Clock;
}

/** Deletes objects without remaining owners, and carries out foreground and orphaning deletions. */
export interface GarbageCollector {
  /** Call when an object that has owners or is being deleted has changed. */
  reconcile(target: Target, object: KubeObject): Promise<Collected>;
  /** Call when the object with this uid is gone. */
  ownerGone(plane: Plane, uid: string): Promise<Reconciled>;
}

export interface Collected {
  readonly result: Reconciled;
  /** The object is as it was. */
  readonly isUntouched: boolean;
}

const writeOptions = serverWrites("garbage-collector");

export function createGarbageCollector(options: GarbageCollectorOptions): GarbageCollector {
  const { kinds, store, resources, clock } = options;

  const targetOfKey = (plane: Plane, key: string): Target | undefined => {
    const { resource, namespace, name } = parseObjectKey(key);
    const kind = kinds.find((each) => qualifiedPlural(each) === resource);
    return kind === undefined ? undefined : { plane, kind, namespace, name };
  };

  /** Objects that name the uid as an owner, in their current state. */
  const dependentsOf = async (
    plane: Plane,
    uid: string,
  ): Promise<{ target: Target; object: KubeObject }[]> => {
    const found: { target: Target; object: KubeObject }[] = [];
    for (const key of await store.dependents(plane, uid)) {
      const [target, json] = [targetOfKey(plane, key), await store.get(plane, key)];
      if (target !== undefined && json !== undefined) found.push({ target, object: parseStored(json) });
    }
    return found;
  };

  /** `unknown`: the owner's kind is not served. It may exist, so its dependents stay. */
  const ownerState = async (
    plane: Plane,
    namespace: string,
    owner: JsonObject,
  ): Promise<"there" | "absent" | "unknown"> => {
    const kind = kinds.find((each) => {
      return each.kind === owner["kind"] && apiVersionOf(each) === owner["apiVersion"];
    });
    if (kind === undefined || !kind.planes.includes(plane.type)) return "unknown";
    const key = objectKey(kind, kind.namespaced ? namespace : "", String(owner["name"]));
    const json = await store.get(plane, key);
    return json !== undefined && parseStored(json).metadata.uid === owner["uid"] ? "there" : "absent";
  };

  const remove = async (target: Target, object: KubeObject, propagation: Propagation): Promise<void> => {
    const uid = object.metadata.uid;
    const how = { dryRun: false, propagation, uid, resourceVersion: undefined };
    await ignoreGone(deleteObject(resources, target, how, clock.nowMs()));
  };

  /** Deletes an object whose owners are all gone; otherwise removes the references to the missing ones. */
  const checkOwners = async (target: Target, object: KubeObject): Promise<Collected> => {
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length === 0 || object.metadata.deletionTimestamp !== undefined) return untouched;
    const states = await Promise.all(
      owners.map((owner) => ownerState(target.plane, target.namespace, owner)),
    );
    const kept = owners.filter((_, index) => states[index] !== "absent");
    if (kept.length === owners.length) return untouched;
    if (kept.length === 0) await remove(target, object, "Background");
    else await setOwners(target, (owner) => kept.some(({ uid }) => uid === owner["uid"]));
    return touched;
  };

  const setOwners = async (target: Target, keep: (owner: JsonObject) => boolean): Promise<void> => {
    const change = resources.change(
      target,
      (old) => {
        const ownerReferences = (old.metadata.ownerReferences ?? []).filter(keep);
        return { object: { ...old, metadata: { ...old.metadata, ownerReferences } } };
      },
      writeOptions,
    );
    await ignoreGone(change);
  };

  const dropFinalizer = async (target: Target, finalizer: string): Promise<void> => {
    const change = resources.change(
      target,
      (old) => {
        const finalizers = (old.metadata.finalizers ?? []).filter((each) => each !== finalizer);
        return { object: { ...old, metadata: { ...old.metadata, finalizers } } };
      },
      writeOptions,
    );
    await ignoreGone(change);
  };

  return {
    async reconcile(target, object) {
      const { uid = "", deletionTimestamp, finalizers = [] } = object.metadata;
      if (deletionTimestamp === undefined) return await checkOwners(target, object);
      if (finalizers.includes(orphanFinalizer)) {
        for (const dependent of await dependentsOf(target.plane, uid)) {
          await setOwners(dependent.target, (owner) => owner["uid"] !== uid);
        }
        await dropFinalizer(target, orphanFinalizer);
      } else if (finalizers.includes(foregroundFinalizer)) {
        const dependents = await dependentsOf(target.plane, uid);
        for (const dependent of dependents) {
          if (dependent.object.metadata.deletionTimestamp !== undefined) continue;
          await remove(dependent.target, dependent.object, "Foreground");
        }
        const isBlocked = dependents.some((dependent) => blocks(dependent.object, uid));
        if (isBlocked) return { result: again(200), isUntouched: false };
        await dropFinalizer(target, foregroundFinalizer);
      } else return untouched;
      return touched;
    },
    async ownerGone(plane, uid) {
      for (const { target, object } of await dependentsOf(plane, uid)) await checkOwners(target, object);
      return done;
    },
  };
}

const untouched: Collected = { result: done, isUntouched: true };
const touched: Collected = { result: done, isUntouched: false };

/** Whether this dependent blocks the foreground deletion of its owner. */
function blocks(dependent: KubeObject, ownerUid: string): boolean {
  const owners = dependent.metadata.ownerReferences ?? [];
  return owners.some((owner) => owner["uid"] === ownerUid && owner["blockOwnerDeletion"] === true);
}

async function ignoreGone(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!(error instanceof StatusError) || !["NotFound", "Conflict"].includes(error.status.reason))
      throw error;
  }
}
