import { TelemetrydError } from "../../base/core/errors.ts";
import type { Plane } from "../api/plane.ts";
import { readBackup } from "./backup-file.ts";
import type { BackupHead, BackupRecord } from "./backup-record.ts";

/** Opens a backup at its beginning; it is read more than once. */
export type OpenBackup = () => AsyncIterable<Buffer>;

export interface KeptSection {
  readonly plane: Plane;
  readonly isLeaving: boolean;
}

/** Which records of a backup count. */
export interface BackupContents {
  readonly head: BackupHead;
  readonly resourceVersion: string;
  readonly sections: ReadonlyMap<number, KeptSection>;
  /** Ordinal of the last change of an object, by section and key. */
  readonly lastChanges: ReadonlyMap<string, number>;
}

/** An object at the moment of the backup. */
export interface BackupObject {
  readonly section: number;
  readonly key: string;
  readonly json: string;
}

/**
 * Reads a backup in full, without doing anything with it.
 *
 * @throws as `readBackup`
 */
export async function readContents(open: OpenBackup, signal: AbortSignal): Promise<BackupContents> {
  const planes = new Map<number, Plane>();
  const sections = new Map<number, KeptSection>();
  const lastChanges = new Map<string, number>();
  let head: BackupHead | undefined;
  let resourceVersion = "";
  let ordinal = 0;
  for await (const records of readBackup(open())) {
    signal.throwIfAborted();
    for (const record of records) {
      ordinal++;
      if (record[0] === "backup") head = record[1];
      else if (record[0] === "plane") planes.set(record[1], record[2]);
      else if (record[0] === "change") lastChanges.set(`${record[1]} ${record[2]}`, ordinal);
      else if (record[0] === "end") resourceVersion = record[1];
      else if (record[0] === "kept") {
        const plane = planes.get(record[1]);
        if (plane !== undefined) sections.set(record[1], { plane, isLeaving: record[3] });
      }
    }
  }
  if (head === undefined)
    throw new TelemetrydError("INVALID_ARGUMENT", "the file is no backup of telemetryd");
  return { head, resourceVersion, sections, lastChanges };
}

/** The records of a backup that count, with its objects as they were at its moment. */
export async function* countedRecords(
  open: OpenBackup,
  { sections, lastChanges }: BackupContents,
): AsyncGenerator<
  BackupObject | Extract<BackupRecord, readonly ["work" | "claim" | "hash" | "member", ...unknown[]]>
> {
  let ordinal = 0;
  for await (const records of readBackup(open())) {
    for (const record of records) {
      ordinal++;
      switch (record[0]) {
        case "object":
        case "change": {
          const [tag, section, key, json] = record;
          const last = lastChanges.get(`${section} ${key}`);
          const isLast = tag === "object" ? last === undefined : last === ordinal;
          if (sections.has(section) && isLast && json !== "") yield { section, key, json };
          break;
        }
        case "work":
        case "claim":
          if (sections.has(record[1])) yield record;
          break;
        case "hash":
        case "member":
          yield record;
      }
    }
  }
}
