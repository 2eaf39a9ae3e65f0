import { apiVersionOf, type KindDefinition } from "../api/kind.ts";
import type { KubeObject } from "../api/object.ts";

/** An object's JSON, split at the position of its resource version. */
export interface StoredParts {
  readonly before: string;
  readonly after: string;
}

/**
 * Serializes an object for the store. `metadata.resourceVersion` comes first in the text, then
 * `deletionTimestamp` if present: the store's scripts find both by position, so user data cannot be mistaken
 * for them.
 */
export function storedParts(object: KubeObject): StoredParts {
  const { apiVersion, kind, metadata, ...rest } = object;
  const inner = JSON.stringify(withoutVersion(metadata)).slice(1, -1);
  const body = JSON.stringify(rest).slice(1, -1);
  const before = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{"resourceVersion":"`;
  return { before, after: `"${inner === "" ? "" : `,${inner}`}}${body === "" ? "" : `,${body}`}}` };
}

/** The object that is read back when this one was stored with a resource version, in the same field order. */
export function storedObject(object: KubeObject, resourceVersion: string): KubeObject {
  const { apiVersion, kind, metadata, ...rest } = object;
  return { apiVersion, kind, metadata: { resourceVersion, ...withoutVersion(metadata) }, ...rest };
}

/** The fields after the version, in their stored order. */
function withoutVersion(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  const { resourceVersion: _, deletionTimestamp, ...others } = metadata;
  return deletionTimestamp === undefined ? others : { deletionTimestamp, ...others };
}

/** Resource version of a stored object, read without parsing it. */
export function storedResourceVersion(json: string): string {
  return /"resourceVersion":"(\d+)"/.exec(json)?.[1] ?? "";
}

export function parseStored(json: string): KubeObject {
  return JSON.parse(json) as KubeObject;
}

/**
 * JSON of a stored object as its kind is served: with the kind's own fields and apiVersion, which comes first
 * in the text (see {@link storedParts}). The same text unless the kind is stored as another.
 */
export function servedJson(json: string, kind: KindDefinition): string {
  if (kind.storedAs === undefined || json === "") return json;
  if (kind.conversion !== undefined) return JSON.stringify(servedObject(parseStored(json), kind));
  return `{"apiVersion":${JSON.stringify(apiVersionOf(kind))}${json.slice(json.indexOf(',"kind":'))}`;
}

export function parseServed(json: string, kind: KindDefinition): KubeObject {
  return servedObject(parseStored(json), kind);
}

/** An object as its kind is served. */
export function servedObject(object: KubeObject, kind: KindDefinition): KubeObject {
  if (kind.storedAs === undefined) return object;
  return { ...(kind.conversion?.toServed(object) ?? object), apiVersion: apiVersionOf(kind) };
}

/** An object as it is stored: with the fields and the apiVersion of the kind that the store keeps it as. */
export function storedForm(object: KubeObject, { storedAs, conversion }: KindDefinition): KubeObject {
  if (storedAs === undefined) return object;
  return { ...(conversion?.toStored(object) ?? object), apiVersion: apiVersionOf(storedAs) };
}
