import type { Plane } from "../api/plane.ts";

/** First record of a backup. */
export interface BackupHead {
  /** Version of the program that wrote it. */
  readonly telemetryd: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** `ORGANIZATION/NAME` if only this project is in it. */
  readonly project?: string;
}

/**
 * A record of a backup, in the order of a file:
 *
 * - `plane`: a section begins; its number stands in all records of the section.
 * - `object`: the JSON of an object as stored, as it was while the section was read.
 * - `change`: its JSON after a later change; "" if it was deleted. The last one counts.
 * - `work`: work of the controllers, except that for single objects.
 * - `claim`: a field of the plane's number claims.
 * - `kept`: the section is complete, and the plane's resource version. A section without it does not count:
 *   the plane was deleted, or was read again.
 * - `hash`, `member`: a field of a hash, a member of a set; keys without the prefix of all keys.
 * - `end`: the resource version of the whole, as which everything in it was at one moment.
 */
export type BackupRecord =
  | readonly ["backup", BackupHead]
  | readonly ["plane", section: number, Plane]
  | readonly ["object" | "change", section: number, key: string, json: string]
  | readonly ["work", section: number, item: string]
  | readonly ["claim", section: number, field: string, value: string]
  | readonly ["kept", section: number, resourceVersion: string, isLeaving: boolean]
  | readonly ["hash", key: string, field: string, value: string]
  | readonly ["member", key: string, member: string]
  | readonly ["end", resourceVersion: string];

const tags = new Set([
  "backup",
  "plane",
  "object",
  "change",
  "work",
  "claim",
  "kept",
  "hash",
  "member",
  "end",
]);

/** @returns undefined if it is none of this program's records; fields are those of a writer of this format */
export function parseRecord(line: string): BackupRecord | undefined {
  const value: unknown = JSON.parse(line);
  return Array.isArray(value) && tags.has(String(value[0])) ? (value as unknown as BackupRecord) : undefined;
}
