import type { KindDefinition } from "../api/kind.ts";
import { parseLabelSelector } from "../api/label-selector.ts";
import type { KubeObject } from "../api/object.ts";
import type { Plane } from "../api/plane.ts";
import { readInteger } from "../api/query-values.ts";
import { type FieldRequirement, parseFieldSelector } from "../api/selectors.ts";
import {
  badRequest,
  expired,
  type FieldError,
  invalidOptions,
  PlaneGoneError,
  tooLargeResourceVersion,
  unsupportedValue,
} from "../api/status.ts";
import type { Selector } from "../api/traits.ts";
import { forbiddenValue } from "../api/validate.ts";
import { collectionPrefix } from "../store/keys.ts";
import type { ObjectStore } from "../store/object-store.ts";
import type { PageOutcome } from "../store/page.ts";
import { parseStored, servedJson } from "../store/stored-object.ts";

/** A collection, with selectors for its objects. */
export interface Selection {
  readonly plane: Plane;
  readonly kind: KindDefinition;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Undefined: every object. */
  readonly selector?: Selector | undefined;
}

export function selectionPrefix({ kind, namespace }: Selection): string {
  return collectionPrefix(kind, kind.namespaced ? namespace : "");
}

/**
 * Reads `labelSelector` and `fieldSelector`. @returns undefined if there are none
 *
 * @throws StatusError 400
 */
export function readSelectors(query: URLSearchParams, kind: KindDefinition): Selector | undefined {
  const labels = parseLabelSelector(query.get("labelSelector") ?? "");
  if (!labels.ok) throw badRequest(labels.message);
  const fields = parseFieldSelector(query.get("fieldSelector") ?? "");
  if (!fields.ok) throw badRequest(fields.message);
  if (labels.requirements.length === 0 && fields.requirements.length === 0) return undefined;
  for (const requirement of fields.requirements) checkField(requirement, kind);
  return { labels: labels.requirements, fields: fields.requirements };
}

function checkField({ field }: FieldRequirement, kind: KindDefinition): void {
  const known =
    field === "metadata.name" ||
    (field === "metadata.namespace" && kind.namespaced) ||
    Object.hasOwn(kind.selectableFields, field);
  if (!known) throw badRequest(`field label not supported: ${field}`);
}

export interface ListOptions {
  /** 0 means no limit. */
  readonly limit: number;
  /** Start after this key. */
  readonly afterKey: string;
  /** Version to show; "" for the newest. */
  readonly resourceVersion: string;
  /** Minimum version of the response; "" for any. */
  readonly minimumVersion: string;
}

/**
 * Reads `limit`, `continue`, `resourceVersion`, `resourceVersionMatch` and `timeoutSeconds`.
 *
 * @throws StatusError 400, 422
 */
export function readListOptions(query: URLSearchParams): ListOptions {
  const limit = Math.max(0, readInteger(query, "limit") ?? 0);
  // Lists have their own time limit, but an invalid number must still be rejected.
  readInteger(query, "timeoutSeconds");
  const asked = query.get("resourceVersion") ?? "";
  const match = query.get("resourceVersionMatch") ?? "";
  const token = query.get("continue") ?? "";
  const errors = listFaults(asked, match, token);
  if (query.has("sendInitialEvents")) {
    errors.push(forbiddenValue("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  checkVersion(asked);
  if (token !== "") {
    if (asked !== "" && asked !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    return { limit, minimumVersion: "", ...readContinueToken(token) };
  }
  if (match === "Exact") return { limit, afterKey: "", resourceVersion: asked, minimumVersion: "" };
  return { limit, afterKey: "", resourceVersion: "", minimumVersion: asked === "0" ? "" : asked };
}

function listFaults(resourceVersion: string, match: string, token: string): FieldError[] {
  if (match === "") return [];
  const field = "resourceVersionMatch";
  const errors: FieldError[] = [];
  if (resourceVersion === "") {
    errors.push(forbiddenValue(field, `${field} is forbidden unless resourceVersion is provided`));
  }
  if (token !== "") errors.push(forbiddenValue(field, `${field} is forbidden when continue is provided`));
  if (!["Exact", "NotOlderThan"].includes(match)) {
    errors.push(unsupportedValue(field, match, ["Exact", "NotOlderThan", ""]));
  }
  if (match === "Exact" && resourceVersion === "0") {
    errors.push(forbiddenValue(field, `${field} "exact" is forbidden for resourceVersion "0"`));
  }
  return errors;
}

/** @throws StatusError 400 if the text cannot be a version */
export function checkVersion(text: string): void {
  if (/^\d*$/.test(text)) return;
  throw badRequest(`resourceVersion: Invalid value: ${JSON.stringify(text)}: parsing: invalid syntax`);
}

/** @param resourceVersion "" for a token that continues with the then current state */
export function continueToken(resourceVersion: string, afterKey: string): string {
  const text = JSON.stringify({ v: "meta.k8s.io/v1", rv: resourceVersion, start: afterKey });
  return Buffer.from(text).toString("base64url");
}

function readContinueToken(token: string): { afterKey: string; resourceVersion: string } {
  try {
    const { v, rv, start } = JSON.parse(Buffer.from(token, "base64url").toString()) as Record<
      string,
      unknown
    >;
    if (v === "meta.k8s.io/v1" && typeof rv === "string" && /^\d*$/.test(rv) && typeof start === "string") {
      return { afterKey: start, resourceVersion: rv };
    }
  } catch {
    // Falls through to the error.
  }
  throw badRequest("continue key is not valid");
}

/** An object of a list; parsed only on access. */
export interface ListedObject {
  readonly json: string;
  readonly object: () => KubeObject;
}

export interface ListPart {
  readonly resourceVersion: string;
  readonly objects: readonly ListedObject[];
  /** Values for `metadata`, known with the last part: a token if the limit ended the list. */
  readonly end?: { readonly continue?: string; readonly remainingItemCount?: number };
}

const objectsAtOnce = 500;

/**
 * Reads a collection in parts, all of one version, so that memory is bounded by a part rather than the
 * collection.
 *
 * @throws StatusError 410 for a version no longer held, 504 for a future one
 */
export async function* list(
  store: ObjectStore,
  selection: Selection,
  options: ListOptions,
): AsyncGenerator<ListPart> {
  const { plane, kind, selector } = selection;
  const asked = selector === undefined ? undefined : { kind, selector };
  const prefix = selectionPrefix(selection);
  let { afterKey, resourceVersion } = options;
  if (afterKey !== "" && !afterKey.startsWith(prefix)) throw badRequest("continue key is not valid");
  for (let left = options.limit === 0 ? Number.POSITIVE_INFINITY : options.limit; ; ) {
    const limit = Math.min(objectsAtOnce, left);
    const page = await store.page(plane, { prefix, afterKey, limit, resourceVersion, selection: asked });
    const { items, remaining, cursor } = checkedPage(page, options, afterKey);
    resourceVersion = page.outcome === "page" ? page.resourceVersion : "";
    const taken = items.slice(0, left);
    const objects = taken.map(({ json }) => listed(servedJson(json, kind)));
    left -= taken.length;
    const isCut = taken.length < items.length || cursor !== undefined;
    if (left === 0 && isCut) {
      const rest = remaining + items.length - taken.length;
      const counted = selector === undefined && rest > 0 ? { remainingItemCount: rest } : {};
      const token = continueToken(resourceVersion, taken.at(-1)?.key ?? afterKey);
      yield { resourceVersion, objects, end: { continue: token, ...counted } };
      return;
    }
    if (cursor === undefined) {
      yield { resourceVersion, objects, end: {} };
      return;
    }
    afterKey = cursor;
    yield { resourceVersion, objects };
  }
}

function listed(json: string): ListedObject {
  let object: KubeObject | undefined;
  return {
    json,
    object() {
      object ??= parseStored(json);
      return object;
    },
  };
}

function checkedPage(
  page: PageOutcome,
  options: ListOptions,
  afterKey: string,
): Extract<PageOutcome, { outcome: "page" }> {
  switch (page.outcome) {
    case "gone":
      throw new PlaneGoneError();
    case "unknown-version":
      if (Number(options.resourceVersion) > Number(page.newest)) {
        throw tooLargeResourceVersion(options.resourceVersion, page.newest);
      }
      if (options.afterKey === "") throw expired("The resourceVersion for the provided list is too old.");
      throw expired(continueExpired, continueToken("", afterKey));
    case "page":
      if (Number(options.minimumVersion) > Number(page.resourceVersion)) {
        throw tooLargeResourceVersion(options.minimumVersion, page.resourceVersion);
      }
      return page;
  }
}

const continueExpired =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";
