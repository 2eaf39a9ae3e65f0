import { defined } from "../../base/core/defined.ts";
import type { Json } from "./object.ts";

/**
 * Schema of a field: the subset of OpenAPI v3 that Kubernetes' structural schemas use. It is published
 * unchanged in the OpenAPI documents, and drives defaults, validation, unknown fields, strategic merge and
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
  /** Values of a map with arbitrary keys. */
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
  readonly minProperties?: number;
  readonly maxProperties?: number;
  /**
   * atomic: replaced as a whole; set: unique scalars; map: items identified by their keys. Default: atomic.
   */
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** atomic: an object owned and replaced as a whole. */
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** Keeps unknown fields; unknown fields inside known ones are still dropped. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** An integer or text, such as a port or a quantity; the schema then has no `type`. */
  readonly "x-kubernetes-int-or-string"?: true;
  /** Rules in the Common Expression Language. Published only; the kind's `validate` checks the same. */
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
  /** The component that the schema comes from; OpenAPI documents refer to it instead. */
  readonly component?: SchemaComponent;
}

/** Schema of a text field. */
export function textField(description: string): Schema {
  return { type: "string", description };
}

/** Schema of an integer field. */
export function integerField(format: "int32" | "int64", description: string): Schema {
  return { type: "integer", format, description };
}

/** Schema of a field that is an integer or text. */
export function intOrStringField(description: string): Schema {
  return { "x-kubernetes-int-or-string": true, description };
}

/** Schema of a text field with one of some values. */
export function choiceField(description: string, values: readonly string[]): Schema {
  return { type: "string", description, enum: values };
}

/** Schema of an object. @param required names of the fields that it must have */
export function objectField(
  description: string,
  required: readonly string[],
  properties: Readonly<Record<string, Schema>>,
): Schema {
  return { type: "object", description, ...listItem(required, properties) };
}

/** Schema of an object in a list, which has no description of its own. @param required as in {@link objectField} */
export function listItem(required: readonly string[], properties: Readonly<Record<string, Schema>>): Schema {
  return { type: "object", ...(required.length > 0 ? { required } : {}), properties };
}

/** Schema of an object whose fields have any name and a text. */
export function textMap(description: string): Schema {
  return { type: "object", description, additionalProperties: { type: "string" } };
}

type ListBounds = Pick<Schema, "default" | "minItems" | "maxItems">;

/** Schema of a list that is replaced as a whole. */
export function atomicList(items: Schema, description: string, bounds: ListBounds = {}): Schema {
  return { type: "array", description, ...bounds, items, "x-kubernetes-list-type": "atomic" };
}

/** Schema of a list of texts or numbers, none of them twice. */
export function setList(items: Schema, description: string, bounds: ListBounds = {}): Schema {
  return { type: "array", description, ...bounds, items, "x-kubernetes-list-type": "set" };
}

/** Schema of a list whose items are identified by fields of theirs. */
export function mapList(
  keys: readonly string[],
  items: Schema,
  description: string,
  bounds: ListBounds = {},
): Schema {
  return {
    type: "array",
    description,
    ...bounds,
    items,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": keys,
  };
}

/** A named schema that occurs once in OpenAPI documents. */
export interface SchemaComponent {
  /** `io.k8s.apimachinery.pkg.apis.meta.v1.Time` */
  readonly name: string;
  readonly schema: Schema;
  /** Set for types that are sent or received on their own. */
  readonly groupVersionKinds?: readonly GroupVersionKind[];
}

/** `x-kubernetes-group-version-kind` */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Schema of a field that refers to a component. @param description absent for list items, which have none */
export function referTo(component: SchemaComponent, description?: string): Schema {
  return defined({ ...component.schema, description, component });
}
