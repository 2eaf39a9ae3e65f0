import { randomUUID } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { Manager } from "../apply/managers.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import { cloneJson, type KubeObject, sameJson } from "../object.ts";
import type { Plane } from "../plane.ts";
import {
  alreadyExists,
  conflict,
  forbidden,
  invalid,
  modifiedMessage,
  notFound,
  PlaneGoneError,
  type StatusError,
  tooLarge,
} from "../status.ts";
import type { ChangeType } from "../store/change.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseStored } from "../store/stored-object.ts";
import { countsOf, exceededMessage } from "../store/usage.ts";
import { admit, dropUnknownFields } from "./admission.ts";
import { generatedName, ownerUids } from "./metadata.ts";
import {
  changedObject,
  checkDeletion,
  checkServerFinalizers,
  checkVersion,
  hasFinalizers,
  keepGeneration,
  knownManagers,
  newObject,
  setManagedFields,
  trackedManagers,
} from "./new-state.ts";
import { countValues, letOthersRun, valuesIn } from "./object-size.ts";
import { keyOf, type Target, type WriteOptions } from "./target.ts";

export interface WriteResult {
  readonly object: KubeObject;
  readonly created: boolean;
  /** Whether the object was deleted, because the change removed its last finalizer. */
  readonly deleted: boolean;
  readonly warnings: readonly string[];
}

/** New state of an object, with its field managers if the change determined them (server-side apply). */
export interface NewState {
  readonly object: KubeObject;
  readonly managers?: readonly Manager[] | undefined;
}

/** Hook of a kind's controller before an object is created; see the project controller. */
export interface CreationGuard {
  /** @throws StatusError to reject the creation */
  before(plane: Plane, object: KubeObject): Promise<void>;
  /** Reverts `before` if the object was not created. */
  undo(plane: Plane, object: KubeObject): Promise<void>;
}

/** Reads and writes objects, for requests and for controllers. Throws expected errors as StatusError. */
export interface Resources {
  get(target: Target): Promise<KubeObject>;
  create(
    target: Target,
    body: KubeObject,
    managers: readonly Manager[] | undefined,
    options: WriteOptions,
  ): Promise<WriteResult>;
  /**
   * Changes an object: reads it, computes the new state with `change`, and writes it. On a concurrent write
   * it retries, unless the new state requires a version.
   */
  change(
    target: Target,
    change: (old: KubeObject) => NewState | Promise<NewState>,
    options: WriteOptions,
  ): Promise<WriteResult>;
  /**
   * Writes one finished state of a deletion, regardless of quotas.
   *
   * @returns the written object, or undefined if `old` is outdated
   */
  write(
    target: Target,
    type: ChangeType,
    object: KubeObject,
    old: KubeObject,
  ): Promise<KubeObject | undefined>;
}

export interface ResourcesOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: () => number;
  readonly guards: ReadonlyMap<string, CreationGuard>;
  /** Whether controllers reconcile objects of this kind. */
  readonly isControlled: (kind: KindDefinition) => boolean;
}

const maxObjectBytes = 1.5 * 2 ** 20;
const maxAttempts = 8;

export function createResources(options: ResourcesOptions): Resources {
  const { store, clock, random, guards } = options;

  /** Controller work that a change causes; "" for none. */
  const workFor = (
    target: Target,
    type: ChangeType,
    object: KubeObject,
    old: KubeObject | undefined,
  ): string => {
    if (type === "DELETED") return `owner-gone ${object.metadata.uid ?? ""}`;
    const ownersChanged = !sameJson(
      old?.metadata.ownerReferences ?? [],
      object.metadata.ownerReferences ?? [],
    );
    const isLeaving = object.metadata.deletionTimestamp !== undefined;
    return options.isControlled(target.kind) || ownersChanged || isLeaving ? `object ${keyOf(target)}` : "";
  };

  const commit = async (
    target: Target,
    type: ChangeType,
    object: KubeObject,
    old: KubeObject | undefined,
    { isLimited, dryRun }: { readonly isLimited: boolean; readonly dryRun: boolean },
  ): Promise<{ outcome: "committed"; object: KubeObject } | { outcome: "modified" }> => {
    const { kind, plane, namespace, name } = target;
    const size = Buffer.byteLength(JSON.stringify(object));
    if (size > maxObjectBytes) throw tooLarge(`etcdserver: request is too large`);
    const outcome = await store.commit(plane, {
      key: keyOf(target),
      expectedVersion: old?.metadata.resourceVersion ?? "",
      type,
      object,
      requiredNamespace: type === "ADDED" && kind.namespaced ? objectKey(namespaceKind, "", namespace) : "",
      work: workFor(target, type, object, old),
      workDueMs: clock.nowMs(),
      ownersBefore: ownerUids(old),
      ownersAfter: type === "DELETED" ? [] : ownerUids(object),
      counts: countsOf(kind, old, type === "DELETED" ? undefined : object),
      ...{ isLimited, dryRun },
    });
    switch (outcome.outcome) {
      case "committed":
        return { outcome: "committed", object: dryRun ? object : parseStored(outcome.json) };
      case "exceeded":
        throw forbidden(kind, name, exceededMessage(outcome.exceeded));
      case "modified":
        return { outcome: "modified" };
      case "exists":
        throw alreadyExists(kind, name);
      case "missing":
        throw notFound(kind, name);
      case "no-namespace":
        throw notFound(namespaceKind, namespace);
      case "terminating":
        throw forbidden(
          kind,
          name,
          `unable to create new content in namespace ${namespace} because it is being terminated`,
        );
      case "gone":
        throw new PlaneGoneError();
    }
  };

  const read = async (target: Target): Promise<KubeObject> => {
    const json = await store.get(target.plane, keyOf(target));
    if (json === undefined) throw notFound(target.kind, target.name);
    return parseStored(json);
  };

  const nowText = (): string => new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");

  const createNamed = async (
    target: Target,
    object: KubeObject,
    managers: readonly Manager[] | undefined,
    writeOptions: WriteOptions,
  ): Promise<{ readonly object: KubeObject; readonly warnings: readonly string[] }> => {
    const { kind, plane } = target;
    const warnings = admit(object, undefined, kind, "");
    await letOthersRun(countValues(object));
    setManagedFields(object, managers ?? trackedManagers([], {}, object, kind, writeOptions, nowText()));
    const terms = termsOf(writeOptions);
    const guard = writeOptions.dryRun ? undefined : guards.get(kind.kind);
    await guard?.before(plane, object);
    try {
      const outcome = await commit(target, "ADDED", object, undefined, terms);
      // A creation has no expected version, so a conflict means that the object exists.
      if (outcome.outcome !== "committed") throw alreadyExists(kind, target.name);
      return { object: outcome.object, warnings };
    } catch (error) {
      await guard?.undo(plane, object);
      throw error;
    }
  };

  return {
    get: read,
    async create(target, body, managers, writeOptions) {
      const { kind } = target;
      const values = countValues(body);
      await letOthersRun(values);
      const given = cloneJson(body);
      const warnings = dropUnknownFields(given, kind, writeOptions.fieldValidation);
      if (kind.statusSubresource) delete given["status"];
      const prefix = typeof given.metadata.generateName === "string" ? given.metadata.generateName : "";
      const isGenerated = target.name === "" && prefix !== "";
      for (let attempt = 1; ; attempt++) {
        const name = isGenerated
          ? generatedName(prefix, kind.nameRule === "label" ? 63 : 253, random)
          : target.name;
        if (name === "") throw nameRequired(kind);
        const named = { ...target, name };
        const object = newObject(cloneJson(given), named, randomUUID(), nowText());
        await letOthersRun(values);
        try {
          const created = await createNamed(named, object, managers, writeOptions);
          const all = [...warnings, ...created.warnings];
          return { object: created.object, created: true, deleted: false, warnings: all };
        } catch (error) {
          if (!isGenerated || attempt >= maxAttempts || !isAlreadyExists(error)) throw error;
        }
      }
    },
    async change(target, change, writeOptions) {
      const { kind } = target;
      for (let attempt = 1; ; attempt++) {
        const old = await read(target);
        const wanted = await change(old);
        // Shrinking a large object is as much work as growing one.
        const values = Math.max(countValues(wanted.object), valuesIn(old));
        await letOthersRun(values);
        const given = cloneJson(wanted.object);
        const unknown = dropUnknownFields(given, kind, writeOptions.fieldValidation);
        const insists = checkVersion(given, old, target);
        if (writeOptions.subresource === "") checkDeletion(given, old, target);
        const object = changedObject(given, old, kind, writeOptions);
        if (writeOptions.byServer !== true) checkServerFinalizers(object, old, kind);
        await letOthersRun(values);
        const warnings = [...unknown, ...admit(object, old, kind, writeOptions.subresource)];
        await letOthersRun(values);
        keepGeneration(object, old, kind);
        const known = knownManagers(given, old, writeOptions);
        // An object without tracked managers gets them with its next apply, not before.
        const tracked = () =>
          known.length === 0 ? [] : trackedManagers(known, old, object, kind, writeOptions, nowText());
        setManagedFields(object, wanted.managers ?? tracked());
        const isLast = object.metadata.deletionTimestamp !== undefined && !hasFinalizers(object);
        if (!isLast && sameJson(object, old)) {
          return { object: old, created: false, deleted: false, warnings };
        }
        const type = isLast ? "DELETED" : "MODIFIED";
        const outcome = await commit(target, type, object, old, termsOf(writeOptions));
        if (outcome.outcome === "committed") {
          return { object: outcome.object, created: false, deleted: isLast, warnings };
        }
        if (insists || attempt >= maxAttempts) throw conflict(kind, target.name, modifiedMessage);
      }
    },
    async write(target, type, object, old) {
      const outcome = await commit(target, type, object, old, { isLimited: false, dryRun: false });
      return outcome.outcome === "committed" ? outcome.object : undefined;
    },
  };
}

/** Quotas bind requests; the server's own controllers must be able to finish their work. */
function termsOf({ byServer, dryRun }: WriteOptions): {
  readonly isLimited: boolean;
  readonly dryRun: boolean;
} {
  return { isLimited: byServer !== true, dryRun };
}

function isAlreadyExists(error: unknown): boolean {
  return error instanceof Error && (error as Partial<StatusError>).status?.reason === "AlreadyExists";
}

function nameRequired(kind: KindDefinition): StatusError {
  const message = "Required value: name or generateName is required";
  return invalid(kind, "", [{ reason: "FieldValueRequired", field: "metadata.name", message }]);
}
