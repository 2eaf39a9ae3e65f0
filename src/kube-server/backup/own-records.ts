import type { RedisConnection } from "../../base/redis/connection.ts";
import { type KindDefinition, storedKind } from "../api/kind.ts";
import type { Plane } from "../api/plane.ts";
import type { BackupRecord } from "./backup-record.ts";
import type { Moment } from "./moment.ts";

/** A field of a hash: key without the prefix of all keys, field and value. */
export interface HashField {
  readonly key: string;
  readonly field: string;
  readonly value: string;
}

/** A field that is back in place, or that another project has by now. */
export type Adopted =
  | { readonly kind: "adopted"; undo(): Promise<void> }
  /** The project works without it. */
  | { readonly kind: "missing"; readonly message: string }
  | { readonly kind: "refused"; readonly message: string };

/** What a product above the server keeps in Redis of its own, and wants to find again. */
export interface OwnRecords {
  /** Keys of its hashes. */
  readonly hashes: readonly string[];
  /** Records of what follows from these hashes, such as an index of them. */
  derived(moment: Moment): readonly BackupRecord[];
  /** Whether a field of one of its hashes is of a project. */
  isOf(project: Plane, field: HashField): boolean;
  /** Gives a field back to a project that is restored beside others. */
  adopt(redis: RedisConnection, project: Plane, field: HashField, nowMs: number): Promise<Adopted>;
}

/** Whether a field is of a project: a role in it, or one of the product's own. */
export function isOfProject(own: OwnRecords, project: Plane, field: HashField): boolean {
  return field.field.startsWith(`${project.uid}/`) || own.isOf(project, field);
}

/** The kind whose objects stand for projects, as stored. */
export function projectKindOf(kinds: readonly KindDefinition[]): KindDefinition {
  const kind = kinds.find(({ claimsName }) => claimsName === true);
  if (kind === undefined) throw new Error("the server has no projects");
  return storedKind(kind);
}
