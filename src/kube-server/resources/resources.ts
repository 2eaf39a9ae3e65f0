import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/core/clock.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { KindDefinition } from "../api/kind.ts";
import { generatedName, maxNameLength } from "../api/metadata.ts";
import { cloneJson, type KubeObject, sameJson } from "../api/object.ts";
import {
  alreadyExists,
  conflict,
  forbidden,
  invalid,
  modifiedMessage,
  namespaceTerminating,
  notFound,
  PlaneGoneError,
  quotaExceeded,
  type StatusError,
  tooLarge,
} from "../api/status.ts";
import { type Manager, readManagers } from "../apply/managers.ts";
import { namespaceKind } from "../kinds/namespace.ts";
import type { ChangeType } from "../store/change.ts";
import type { Commit } from "../store/commit.ts";
import { objectKey } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { parseServed, servedObject, storedForm, storedObject, storedParts } from "../store/stored-object.ts";
import { countsOf, exceededMessage } from "../store/usage.ts";
import { admit, admitStatus, dropUnknownFields } from "./admission.ts";
import {
  changedObject,
  checkAssigned,
  checkDeletion,
  checkNoVersion,
  checkServerFinalizers,
  checkVersion,
  copyOfGiven,
  isLastState,
  keepGeneration,
  keepProviderFinalizers,
  keepServerFinalizers,
  knownManagers,
  newObject,
  sentParts,
  setManagedFields,
  trackedManagers,
} from "./new-state.ts";
import { checkOthers, createObjectReader } from "./object-reader.ts";
import { countValues, valuesIn, yieldIfLarge } from "./object-size.ts";
import { referencesOf } from "./references.ts";
import { keyOf, type Target, usersOf, type WriteOptions } from "./target.ts";

export interface WriteResult {
  readonly object: KubeObject;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

type Terms = Pick<Commit, "isLimited" | "dryRun">;

/** New state of an object, with its field managers if the change determined them (server-side apply). */
export interface NewState {
  readonly object: KubeObject;
  /** An update, of a client that may have nothing but its manifest. */
  readonly isWhole?: true;
  readonly managers?: readonly Manager[] | undefined;
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
   * it retries, unless the new state requires a version. The server's own change that returns the object
   * itself leaves it as it is.
   *
   * @param recent the object as it was read a moment ago, tried first
   */
  change(
    target: Target,
    change: (old: KubeObject) => NewState | Promise<NewState>,
    options: WriteOptions,
    recent?: KubeObject,
  ): Promise<WriteResult>;
  /**
   * Writes one finished state, regardless of quotas: of a deletion, or of an object that is restored.
   *
   * @param old absent for one that is restored
   * @returns the written object, or undefined if `old` is outdated
   */
  write(
    target: Target,
    type: ChangeType,
    object: KubeObject,
    old: KubeObject | undefined,
  ): Promise<KubeObject | undefined>;
  /** The object with its kind's finalizer if others use it (see `KindDefinition.usedBy`); itself otherwise. */
  heldIfUsed(target: Target, object: KubeObject): Promise<KubeObject>;
}

export interface ResourcesOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: () => number;
  /**
   * Controller work that a change causes.
   *
   * @param object absent for a deletion
   * @param old absent for a creation
   */
  readonly workOf: (
    target: Target,
    object: KubeObject | undefined,
    old: KubeObject | undefined,
  ) => readonly string[];
}

const maxObjectBytes = 1.5 * 2 ** 20;
const maxAttempts = 8;
/** Characters of an object whose parsing may take some milliseconds: of several, one at a time. */
const largeJson = 64 * 1024;

export function createResources(options: ResourcesOptions): Resources {
  const { store, clock, random } = options;

  const commit = async (
    target: Target,
    type: ChangeType,
    object: KubeObject,
    old: KubeObject | undefined,
    { isLimited, dryRun }: Terms,
  ): Promise<{ outcome: "committed"; object: KubeObject } | { outcome: "modified" }> => {
    const { kind, plane, namespace, name } = target;
    const parts = storedParts(object);
    if (Buffer.byteLength(parts.before) + Buffer.byteLength(parts.after) > maxObjectBytes)
      throw tooLarge(`etcdserver: request is too large`);
    const outcome = await store.commit(plane, {
      key: keyOf(target),
      expectedVersion: old?.metadata.resourceVersion ?? "",
      type,
      parts,
      requiredNamespace: type === "ADDED" && kind.namespaced ? objectKey(namespaceKind, "", namespace) : "",
      work: options.workOf(target, type === "DELETED" ? undefined : object, old),
      nowMs: clock.nowMs(),
      referencesBefore: referencesOf(kind, old),
      referencesAfter: type === "DELETED" ? [] : referencesOf(kind, object),
      unusedBy: type === "DELETED" ? usersOf(target) : undefined,
      counts: countsOf(kind, old, type === "DELETED" ? undefined : object),
      project: type === "ADDED" && kind.claimsName === true ? nameAndUid(object) : undefined,
      isLimited,
      dryRun,
    });
    switch (outcome.outcome) {
      case "committed":
        return {
          outcome: "committed",
          object: dryRun ? object : storedObject(object, outcome.resourceVersion),
        };
      case "exceeded":
        throw quotaExceeded(kind, name, exceededMessage(outcome.exceeded));
      case "modified":
      case "used":
        return { outcome: "modified" };
      case "exists":
      case "claimed":
        throw alreadyExists(kind, name);
      case "missing":
        throw notFound(kind, name);
      case "no-namespace":
        throw notFound(namespaceKind, namespace);
      case "terminating":
        throw namespaceTerminating(kind, name, namespace);
      case "leaving":
        throw forbidden(
          kind,
          name,
          `unable to create new content in ${plane.type} ${plane.name} because it is being terminated`,
        );
      case "gone":
        throw new PlaneGoneError();
    }
  };

  const read = async (target: Target): Promise<KubeObject> => {
    const json = await store.get(target.plane, keyOf(target));
    if (json === undefined) throw notFound(target.kind, target.name);
    if (json.length > largeJson) await yieldToEventLoop();
    return parseServed(json, target.kind);
  };

  /** Commits an object in the form in which it is stored; see `KindDefinition.storedAs`. */
  const commitStored: typeof commit = async (target, type, object, old, terms) => {
    const { kind } = target;
    const before = old && storedForm(old, kind);
    const outcome = await commit(target, type, storedForm(object, kind), before, terms);
    if (outcome.outcome !== "committed") return outcome;
    return { outcome: "committed", object: servedObject(outcome.object, kind) };
  };

  const heldIfUsed: Resources["heldIfUsed"] = async (target, object) => {
    const users = usersOf(target);
    if (users === undefined || target.kind.usedBy === undefined) return object;
    const found = await store.users(target.plane, users, 0);
    if (found.every(({ count }) => count === 0)) return object;
    const finalizers = [...(object.metadata.finalizers ?? []), target.kind.usedBy.finalizer];
    return { ...object, metadata: { ...object.metadata, finalizers } };
  };

  const nowText = (): string => new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");

  const createNamed = async (
    target: Target,
    object: KubeObject,
    given: KubeObject,
    managers: readonly Manager[] | undefined,
    writeOptions: WriteOptions,
  ): Promise<{ readonly object: KubeObject; readonly warnings: readonly string[] }> => {
    const { kind, plane } = target;
    const warnings = admit(object, undefined, kind);
    await yieldIfLarge(countValues(object));
    if (writeOptions.byServer !== true) {
      await checkOthers(object, undefined, kind, createObjectReader(store, plane));
    }
    checkNoVersion(given);
    const tracked = () => {
      const known = readManagers(given.metadata.managedFields) ?? [];
      return trackedManagers(known, {}, object, kind, writeOptions, nowText());
    };
    setManagedFields(object, managers ?? tracked(), kind);
    const terms = termsOf(writeOptions);
    const outcome = await commitStored(target, "ADDED", object, undefined, terms);
    // A creation has no expected version, so a conflict means that the object exists.
    if (outcome.outcome !== "committed") throw alreadyExists(kind, target.name);
    return { object: outcome.object, warnings };
  };

  return {
    get: read,
    async create(target, body, managers, writeOptions) {
      const { kind } = target;
      const values = countValues(body);
      await yieldIfLarge(values);
      const given = cloneJson(body);
      const warnings = dropUnknownFields(given, kind, writeOptions.fieldValidation);
      if (kind.statusSubresource) delete given["status"];
      const prefix = typeof given.metadata.generateName === "string" ? given.metadata.generateName : "";
      const isGenerated = target.name === "" && prefix !== "";
      for (let attempt = 1; ; attempt++) {
        const name = isGenerated ? generatedName(prefix, maxNameLength(kind), random) : target.name;
        if (name === "") throw nameRequired(kind);
        const named = { ...target, name };
        const object = newObject(cloneJson(given), named, randomUUID(), nowText());
        const dropped = keepProviderFinalizers(object, undefined, kind, writeOptions);
        await yieldIfLarge(values);
        try {
          const created = await createNamed(named, object, given, managers, writeOptions);
          const all = [...warnings, ...dropped, ...created.warnings];
          return { object: created.object, created: true, warnings: all };
        } catch (error) {
          if (!isGenerated || attempt >= maxAttempts || !isAlreadyExists(error)) throw error;
        }
      }
    },
    async change(target, change, writeOptions, recent) {
      const { kind } = target;
      for (let attempt = 1; ; attempt++) {
        const old = attempt === 1 && recent !== undefined ? recent : await read(target);
        const wanted = await change(old);
        if (wanted.object === old && writeOptions.byServer === true) {
          return { object: old, created: false, warnings: [] };
        }
        // Shrinking a large object is as much work as growing one.
        const values = Math.max(countValues(wanted.object), valuesIn(old));
        await yieldIfLarge(values);
        const isStatus = writeOptions.subresource === "status";
        const given = copyOfGiven(wanted.object, old, writeOptions);
        const sent = isStatus ? sentParts(given, old) : given;
        const unknown = dropUnknownFields(sent, kind, writeOptions.fieldValidation);
        checkVersion(given, old, target, wanted.isWhole === true);
        if (!isStatus) checkDeletion(given, old, target);
        let object = changedObject(given, old, kind, writeOptions);
        if (writeOptions.byServer !== true) {
          if (wanted.isWhole === true) keepServerFinalizers(object, old, kind);
          else checkServerFinalizers(object, old, kind);
          checkAssigned(object, old, kind);
        }
        const kept = isStatus ? [] : keepProviderFinalizers(object, old, kind, writeOptions);
        await yieldIfLarge(values);
        const warnings = [...unknown, ...kept];
        if (isStatus) admitStatus(object, kind);
        else warnings.push(...admit(object, old, kind));
        await yieldIfLarge(values);
        if (writeOptions.byServer !== true && !isStatus) {
          await checkOthers(object, old, kind, createObjectReader(store, target.plane));
        }
        keepGeneration(object, old, kind);
        if (isLastState(object)) object = await heldIfUsed(target, object);
        const known = await knownManagers(given, old, writeOptions, values);
        // An object without tracked managers gets them with its next apply, not before.
        const tracked = () =>
          known.length === 0 ? [] : trackedManagers(known, old, object, kind, writeOptions, nowText());
        setManagedFields(object, wanted.managers ?? tracked(), kind);
        await yieldIfLarge(values);
        const isLast = isLastState(object);
        if (!isLast && sameJson(object, old)) {
          return { object: old, created: false, warnings };
        }
        await yieldIfLarge(values);
        const type = isLast ? "DELETED" : "MODIFIED";
        const outcome = await commitStored(target, type, object, old, termsOf(writeOptions));
        if (outcome.outcome === "committed") {
          return { object: outcome.object, created: false, warnings };
        }
        // A patch is made to the newest state then; what names a version itself is in conflict with it.
        if (attempt >= maxAttempts) throw conflict(kind, target.name, modifiedMessage);
      }
    },
    async write(target, type, object, old) {
      const terms = { isLimited: false, dryRun: false };
      const outcome = await commitStored(target, type, object, old, terms);
      return outcome.outcome === "committed" ? outcome.object : undefined;
    },
    heldIfUsed,
  };
}

function nameAndUid({ metadata }: KubeObject): { readonly name: string; readonly uid: string } {
  return { name: metadata.name ?? "", uid: metadata.uid ?? "" };
}

function termsOf({ isExempt, dryRun }: WriteOptions): Terms {
  return { isLimited: isExempt !== true, dryRun };
}

function isAlreadyExists(error: unknown): boolean {
  return error instanceof Error && (error as Partial<StatusError>).status?.reason === "AlreadyExists";
}

function nameRequired(kind: KindDefinition): StatusError {
  const message = "Required value: name or generateName is required";
  return invalid(kind, "", [{ reason: "FieldValueRequired", field: "metadata.name", message }]);
}
