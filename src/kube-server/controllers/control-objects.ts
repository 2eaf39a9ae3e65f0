import type { Clock } from "../../base/core/clock.ts";
import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import type { JsonObject, KubeObject } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { QuotaExceededError, StatusError } from "../api/status.ts";
import { deleteObject } from "../resources/deletion.ts";
import { createObjectReader } from "../resources/object-reader.ts";
import type { Resources } from "../resources/resources.ts";
import { serverObjects, serverWrites, type Target, type WriteOptions } from "../resources/target.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import { type NewCondition, timeText, withStatus } from "./conditions.ts";

/**
 * The objects of control planes, as one controller reads and writes them. An object that is gone meanwhile
 * is no error: functions that return an object then return undefined.
 */
export interface ControlObjects {
  get(plane: Plane, kind: KindDefinition, namespace: string, name: string): Promise<KubeObject | undefined>;
  /** The objects of all namespaces, read part by part. */
  each(plane: Plane, kind: KindDefinition): AsyncIterable<KubeObject>;
  /** Objects of the kind with this owner, or with this reference (see `KindDefinition.references`). */
  dependents(plane: Plane, reference: string, kind: KindDefinition): Promise<KubeObject[]>;
  /**
   * @returns undefined if there is an object of this name, or the namespace is going
   * @throws QuotaExceededError
   */
  create(target: Target, body: NewObject): Promise<KubeObject | undefined>;
  /**
   * @param change returns the object itself to leave it as it is
   * @throws QuotaExceededError
   */
  change(target: Target, change: (old: KubeObject) => KubeObject): Promise<KubeObject | undefined>;
  /** Changes the annotations, which no quota refuses. @param change as in {@link change} */
  annotate(target: Target, change: (old: KubeObject) => KubeObject): Promise<void>;
  /**
   * Sets conditions and other fields of the status.
   *
   * @param recent the object as it was read a moment ago: saves reading it again
   * @returns the object, unchanged if it has these already
   */
  setStatus(
    target: Target,
    conditions: readonly NewCondition[],
    fields?: JsonObject | ((old: KubeObject) => JsonObject),
    recent?: KubeObject,
  ): Promise<KubeObject | undefined>;
  /**
   * Changes the status, of which `withStatus` is a part.
   *
   * @param recent as in {@link setStatus}
   */
  changeStatus(
    target: Target,
    change: (old: KubeObject) => KubeObject,
    recent?: KubeObject,
  ): Promise<KubeObject | undefined>;
  dropFinalizer(target: Target, finalizer: string): Promise<void>;
  /** Deletes the object with this uid, in the background; does nothing if it is being deleted. */
  delete(target: Target, object: KubeObject): Promise<void>;
}

/** What a controller gives to a new object. */
export interface NewObject {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly JsonObject[];
  readonly spec?: JsonObject;
  /** Top-level fields of a kind without a spec. */
  readonly fields?: JsonObject;
}

export interface ControlObjectsOptions {
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly clock: Clock;
}

/** @param manager field manager of the writes */
export function createControlObjects(
  { store, resources, clock }: ControlObjectsOptions,
  manager: string,
): ControlObjects {
  const writeOptions = serverWrites(manager);
  const objectOptions = serverObjects(manager);
  const statusOptions: WriteOptions = { ...writeOptions, subresource: "status" };
  const nowText = (): string => timeText(clock.nowMs());

  const write = async (
    target: Target,
    change: (old: KubeObject) => KubeObject,
    options: WriteOptions,
    recent?: KubeObject,
  ): Promise<KubeObject | undefined> =>
    await unless(["NotFound"], async () => {
      return (await resources.change(target, (old) => ({ object: change(old) }), options, recent)).object;
    });

  return {
    get: (plane, kind, namespace, name) => createObjectReader(store, plane).get(kind, namespace, name),
    each: (plane, kind) => createObjectReader(store, plane).each(kind),
    async dependents(plane, reference, kind) {
      const prefix = objectKey(kind, "", "").slice(0, -1);
      const keys = (await store.dependents(plane, reference)).filter((key) => key.startsWith(prefix));
      return (await store.getAll(plane, keys)).map(parseStored);
    },
    async create(target, { labels = {}, annotations = {}, ownerReferences = [], spec, fields = {} }) {
      const body: KubeObject = {
        apiVersion: apiVersionOf(target.kind),
        kind: target.kind.kind,
        metadata: {
          name: target.name,
          labels: { ...labels },
          annotations: { ...annotations },
          ownerReferences: [...ownerReferences],
        },
        ...(spec === undefined ? {} : { spec }),
        ...fields,
      };
      return await unless(["AlreadyExists", "Forbidden", "NotFound"], async () => {
        return (await resources.create(target, body, undefined, objectOptions)).object;
      });
    },
    change: (target, change) => write(target, change, objectOptions),
    async annotate(target, change) {
      await write(target, change, writeOptions);
    },
    setStatus: (target, conditions, fields = {}, recent = undefined) =>
      write(
        target,
        (old) => withStatus(old, conditions, typeof fields === "function" ? fields(old) : fields, nowText()),
        statusOptions,
        recent,
      ),
    changeStatus: (target, change, recent) => write(target, change, statusOptions, recent),
    async dropFinalizer(target, finalizer) {
      await write(
        target,
        (old) => {
          const finalizers = (old.metadata.finalizers ?? []).filter((each) => each !== finalizer);
          return { ...old, metadata: { ...old.metadata, finalizers } };
        },
        writeOptions,
      );
    },
    async delete(target, object) {
      const { uid, deletionTimestamp } = object.metadata;
      if (deletionTimestamp !== undefined) return;
      const how = { dryRun: false, propagation: "Background", uid, resourceVersion: undefined } as const;
      await unless(["NotFound", "Conflict"], () => deleteObject(resources, target, how, clock.nowMs()));
    },
  };
}

/** Reference of an owner that controls the object (meta/v1 OwnerReference). */
export function controllerReference(kind: KindDefinition, owner: KubeObject): JsonObject {
  return { ...ownerReference(kind, owner), controller: true, blockOwnerDeletion: true };
}

export function ownerReference(kind: KindDefinition, owner: KubeObject): JsonObject {
  const { name = "", uid = "" } = owner.metadata;
  return { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid };
}

/** Whether the object is controlled by another. */
export function isControlledBy(object: KubeObject, uid: string | undefined): boolean {
  const owners = object.metadata.ownerReferences ?? [];
  return owners.some((owner) => owner["controller"] === true && owner["uid"] === uid);
}

/** Undefined for failures with one of these reasons. */
async function unless<T>(reasons: readonly string[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof QuotaExceededError) throw error;
    if (error instanceof StatusError && reasons.includes(error.status.reason)) return undefined;
    throw error;
  }
}
