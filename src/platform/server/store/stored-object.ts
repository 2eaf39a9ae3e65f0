import type { KubeObject } from "../object.ts";

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
  const { resourceVersion: _, deletionTimestamp, ...others } = metadata;
  const ordered = deletionTimestamp === undefined ? others : { deletionTimestamp, ...others };
  const inner = JSON.stringify(ordered).slice(1, -1);
  const body = JSON.stringify(rest).slice(1, -1);
  const before = `{"apiVersion":${JSON.stringify(apiVersion)},"kind":${JSON.stringify(kind)},"metadata":{"resourceVersion":"`;
  return { before, after: `"${inner === "" ? "" : `,${inner}`}}${body === "" ? "" : `,${body}`}}` };
}

/** Resource version of a stored object, read without parsing it. */
export function storedResourceVersion(json: string): string {
  return /"resourceVersion":"(\d+)"/.exec(json)?.[1] ?? "";
}

export function parseStored(json: string): KubeObject {
  return JSON.parse(json) as KubeObject;
}
