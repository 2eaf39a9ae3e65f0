import type { PlaneClient } from "../../client/api/plane-client.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { Collection } from "./collection.ts";
import { type Condition, withCondition } from "./conditions.ts";
import { annotationOf, finalizersOf, isDeleting, namespaceOf, textAt, uidOf } from "./plane-object.ts";

/** A control plane that did not take a write, and may take it later. */
export class WriteError extends Error {
  override readonly name = "WriteError";
}

/** What to do when a plane's statuses are refused with 403. */
export const roleNeeded =
  "the control plane refuses the provider's statuses (403): its token must be that of a user with the role" +
  " provider (telemetryd organization add-member NAME --user USER --role provider)";

/**
 * Outcome of a write: the object as it is now, or undefined when it has changed meanwhile or is gone. Then
 * the collection holds the newer one, and the decision has to be taken again.
 */
export type Written = PlaneObject | undefined;

/** Path of an object, from that of its collection across namespaces; without a name, of the namespace's. */
export function objectPath(collectionPath: string, namespace: string, name?: string): string {
  const at = collectionPath.lastIndexOf("/");
  const plural = collectionPath.slice(at + 1);
  const of = name === undefined ? [] : [name];
  const [prefix, ...steps] = [collectionPath.slice(0, at), "namespaces", namespace, plural, ...of];
  return [prefix, ...steps.map(encodeURIComponent)].join("/");
}

/** Writes objects of one control plane, each only if it is the version that the decision was made for. */
export class ObjectWriter {
  readonly #client: PlaneClient;
  readonly #onForbidden: () => void;
  #isForbidden = false;

  /** @param onForbidden called when statuses are refused with 403, and were not before */
  constructor(client: PlaneClient, onForbidden: () => void) {
    this.#client = client;
    this.#onForbidden = onForbidden;
  }

  /** Whether the last write of a status was refused with 403: other writes need no role of the token's user. */
  get isForbidden(): boolean {
    return this.#isForbidden;
  }

  /** @throws WriteError */
  async metadata(
    collection: Collection,
    object: PlaneObject,
    metadata: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Written> {
    return await this.#patch(collection, object, "", { metadata }, signal);
  }

  /** @throws WriteError */
  async status(
    collection: Collection,
    object: PlaneObject,
    status: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Written> {
    return await this.#patch(collection, object, "/status", { status }, signal);
  }

  /** Sets a condition, unless the object says so already. @throws WriteError */
  async condition(
    collection: Collection,
    object: PlaneObject,
    condition: Condition,
    nowMs: number,
    signal: AbortSignal,
  ): Promise<Written> {
    const conditions = withCondition(object, condition, nowMs);
    if (conditions === undefined) return object;
    return await this.status(collection, object, { conditions }, signal);
  }

  /** Adds a finalizer, and the annotation that says whose it is. @throws WriteError */
  async hold(
    collection: Collection,
    object: PlaneObject,
    { finalizer, annotation, holder }: Hold,
    signal: AbortSignal,
  ): Promise<Written> {
    const finalizers = finalizersOf(object);
    const isHeld = finalizers.includes(finalizer);
    if (isHeld && annotationOf(object, annotation) === holder) return object;
    const metadata = {
      ...(isHeld ? {} : { finalizers: [...finalizers, finalizer] }),
      annotations: { [annotation]: holder },
    };
    return await this.metadata(collection, object, metadata, signal);
  }

  /** Drops a finalizer; of an object that stays, the annotation too. @throws WriteError */
  async release(
    collection: Collection,
    object: PlaneObject,
    { finalizer, annotation }: Hold,
    signal: AbortSignal,
  ): Promise<Written> {
    const finalizers = finalizersOf(object);
    const isHeld = finalizers.includes(finalizer);
    if (!isHeld && (isDeleting(object) || annotationOf(object, annotation) === undefined)) return object;
    const metadata = {
      ...(isHeld ? { finalizers: finalizers.filter((name) => name !== finalizer) } : {}),
      ...(isDeleting(object) ? {} : { annotations: { [annotation]: null } }),
    };
    return await this.metadata(collection, object, metadata, signal);
  }

  #noteStatus(isForbidden: boolean): void {
    if (isForbidden && !this.#isForbidden) this.#onForbidden();
    this.#isForbidden = isForbidden;
  }

  async #patch(
    collection: Collection,
    object: PlaneObject,
    subresource: "" | "/status",
    change: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Written> {
    const name = textAt(object, "metadata", "name") ?? "";
    const path = objectPath(collection.path, namespaceOf(object), name);
    const { metadata } = change;
    const body = {
      ...change,
      metadata: {
        ...(metadata as object | undefined),
        uid: uidOf(object),
        resourceVersion: textAt(object, "metadata", "resourceVersion"),
      },
    };
    const patch = { body, contentType: "application/merge-patch+json" };
    const response = await this.#client.send("PATCH", `${path}${subresource}`, patch, signal);
    const isRejected = response.outcome === "rejected";
    if (subresource === "/status") this.#noteStatus(isRejected && response.code === 403);
    if (response.outcome === "ok") {
      collection.keep(response.json);
      return response.json;
    }
    if (isRejected && response.code === 404) return undefined;
    if (!isRejected || response.code !== 409) throw new WriteError(response.message);
    const present = await this.#client.send("GET", path, {}, signal);
    if (present.outcome === "ok") collection.notice(present.json);
    return undefined;
  }
}

/** A finalizer of the provider. */
export interface Hold {
  readonly finalizer: string;
  readonly annotation: string;
  /** Identity of the provider. */
  readonly holder: string;
}
