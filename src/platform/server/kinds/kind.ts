import type { KubeObject } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldError, ResourceName } from "../status.ts";

/** The two kinds of control plane, each serving its own kinds. */
export type PlaneType = "organization" | "project";

/**
 * Everything the server knows about one kind of object. A kind is one file of this folder; paths, discovery, OpenAPI,
 * tables, defaults, validation, patching and watching all follow from it.
 */
export interface KindDefinition extends ResourceName {
  /** Empty for the core kinds. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly planes: readonly PlaneType[];
  readonly description: string;
  /** What `metadata.name` must be: an RFC 1123 subdomain or label. */
  readonly nameRule: "subdomain" | "label";
  /** Built-in kinds accept strategic merge patches and have no generation; custom ones are the other way round. */
  readonly builtIn: boolean;
  /** Whether `status` is written through `/status` only. */
  readonly statusSubresource: boolean;
  /** Fields beside apiVersion, kind and metadata. */
  readonly schema: Schema;
  /** Columns between Name and Age of `kubectl get`. */
  readonly columns: readonly PrinterColumn[];
  /** Fields beside metadata.name and metadata.namespace that a field selector may name. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Completes an object before it is checked; may change it in place. `old` is absent on creation. */
  prepare?(object: KubeObject, old: KubeObject | undefined): void;
  /** Finalizers that only the server's own controllers take away: what they wait for must have been done. */
  readonly serverFinalizers?: readonly string[];
  /** Names of objects that cannot be deleted. */
  readonly undeletable?: readonly string[];
  /** `validate` says what is wrong with `spec` in its own words, which are shown instead of the schema's. */
  readonly checksOwnSpec?: boolean;
  /** What is doubtful but allowed; clients show it. */
  warn?(object: KubeObject): string[];
  /** What an object adds to what is counted of its control plane, beside itself; it is stored, hence valid. */
  counts?(object: KubeObject): Partial<Record<"projects" | "policies" | "sinks", number>>;
  /** What the schema cannot say. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
}

/** A column of the server-side table (meta/v1 TableColumnDefinition). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly description: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority: 0 | 1;
  value(object: KubeObject): string | number | boolean | null;
}

/** `v1`, `telemetry.example/v1alpha1`. */
export function apiVersionOf(kind: Pick<KindDefinition, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}
