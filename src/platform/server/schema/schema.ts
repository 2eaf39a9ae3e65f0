import type { Json } from "../object.ts";

/**
 * The schema of a field: the part of OpenAPI v3 that Kubernetes' structural schemas use. It is published as
 * it stands in the OpenAPI documents, and drives defaults, checks, unknown fields, strategic merge and
 * field sets.
 */
export interface Schema {
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly description?: string;
  readonly format?: string;
  readonly default?: Json;
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  /** The values of a map with free keys. */
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  /**
   * atomic: replaced whole; set: unique scalars; map: items told apart by their keys. Absent means atomic.
   */
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** atomic: an object that is owned and replaced whole. */
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** Unknown fields stay; those of known fields still go. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /**
   * Rules in the Common Expression Language. They are published; the kind's `validate` checks the same in
   * code.
   */
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
  /** What the schema was taken from, and what OpenAPI documents refer to in its place. */
  readonly component?: SchemaComponent;
}

/** The schema of a field that holds text. */
export function textField(description: string): Schema {
  return { type: "string", description };
}

/** The schema of a field that holds an integer. */
export function integerField(format: "int32" | "int64", description: string): Schema {
  return { type: "integer", format, description };
}

/** The schema of a list that is replaced whole. */
export function atomicList(items: Schema, description: string): Schema {
  return { type: "array", description, items, "x-kubernetes-list-type": "atomic" };
}

/** A schema that OpenAPI documents hold once, under a name of its own. */
export interface SchemaComponent {
  /** `io.k8s.apimachinery.pkg.apis.meta.v1.Time` */
  readonly name: string;
  readonly schema: Schema;
  /** Set for what can be sent or received on its own. */
  readonly groupVersionKinds?: readonly GroupVersionKind[];
}

/** `x-kubernetes-group-version-kind` */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * The schema of a field that holds a component. @param description absent for an item of a list, which has
 * none of its own
 */
export function referTo(component: SchemaComponent, description?: string): Schema {
  return { ...component.schema, ...(description === undefined ? {} : { description }), component };
}
