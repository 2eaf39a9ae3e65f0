import type { KubeObject } from "../object.ts";

/** An object's JSON around the place where the store writes the resource version. */
export interface StoredParts {
  readonly before: string;
  readonly after: string;
}

/**
 * Writes an object for the store. `metadata.resourceVersion` comes first in the text, then `deletionTimestamp` where
 * there is one: the store's scripts find both by their place, and what a user writes can never be taken for them.
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

/** The resource version of a stored object, without parsing it. */
export function storedResourceVersion(json: string): string {
  return /"resourceVersion":"(\d+)"/.exec(json)?.[1] ?? "";
}

export function parseStored(json: string): KubeObject {
  return JSON.parse(json) as KubeObject;
}
