import type { KubeObject } from "../object.ts";
import type { Schema } from "../schema/schema.ts";
import type { FieldError, ResourceName } from "../status.ts";

/** The two types of control plane, each with its own kinds. */
export type PlaneType = "organization" | "project";

/**
 * The complete definition of one kind of object. Each kind is one file in this folder; paths, discovery,
 * OpenAPI, tables, defaults, validation, patches and watches derive from it.
 */
export interface KindDefinition extends ResourceName {
  /** Empty for core kinds. */
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
  /** Format of `metadata.name`: an RFC 1123 subdomain or label. */
  readonly nameRule: "subdomain" | "label";
  /** Built-in kinds accept strategic merge patches and have no generation; custom kinds are the opposite. */
  readonly builtIn: boolean;
  /** Whether `status` is writable only through `/status`. */
  readonly statusSubresource: boolean;
  /** Fields other than apiVersion, kind and metadata. */
  readonly schema: Schema;
  /** Columns between Name and Age in `kubectl get`. */
  readonly columns: readonly PrinterColumn[];
  /** Fields available to field selectors, besides metadata.name and metadata.namespace. */
  readonly selectableFields: Readonly<Record<string, (object: KubeObject) => string>>;
  /** Completes an object before validation; may modify it in place. `old` is absent on creation. */
  prepare?(object: KubeObject, old: KubeObject | undefined): void;
  /** Finalizers that only the server's own controllers may remove, after completing their work. */
  readonly serverFinalizers?: readonly string[];
  /** Names of objects that cannot be deleted. */
  readonly undeletable?: readonly string[];
  /** `validate` reports errors in `spec` itself; they replace those of the schema. */
  readonly checksOwnSpec?: boolean;
  /** Warnings about valid but questionable values; clients display them. */
  warn?(object: KubeObject): string[];
  /** An object's contribution to the control plane's counts; the object is stored, hence valid. */
  counts?(object: KubeObject): Partial<Record<"projects" | "policies" | "sinks", number>>;
  /** Validation beyond the schema. */
  validate?(object: KubeObject, old: KubeObject | undefined): FieldError[];
}

/** A column of the server-side table (meta/v1 TableColumnDefinition). */
export interface PrinterColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "boolean" | "date";
  readonly description: string;
  /** 0: always shown; 1: only with `-o wide`. */
  readonly priority: 0 | 1;
  value(object: KubeObject): string | number | boolean | null;
}

/** `v1`, `telemetry.example/v1alpha1`. */
export function apiVersionOf(kind: Pick<KindDefinition, "group" | "version">): string {
  return kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;
}
