import type { Json } from "../object.ts";

/**
 * The schema of a field: the part of OpenAPI v3 that Kubernetes' structural schemas use. It is published as it stands in
 * the OpenAPI documents, and drives defaults, checks, unknown fields, strategic merge and field sets.
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
  /** atomic: replaced whole; set: unique scalars; map: items told apart by their keys. Absent means atomic. */
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  /** atomic: an object that is owned and replaced whole. */
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /** Unknown fields stay; those of known fields still go. */
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
  /** Rules in the Common Expression Language. They are published; the kind's `validate` checks the same in code. */
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string; readonly message: string }[];
}

const text = (description: string): Schema => ({ type: "string", description });
const textMap = (description: string): Schema => ({
  type: "object",
  description,
  additionalProperties: { type: "string" },
});

/** meta/v1 OwnerReference. */
const ownerReference: Schema = {
  type: "object",
  required: ["apiVersion", "kind", "name", "uid"],
  "x-kubernetes-map-type": "atomic",
  properties: {
    apiVersion: text("API version of the owner."),
    kind: text("Kind of the owner."),
    name: text("Name of the owner."),
    uid: text("UID of the owner."),
    controller: { type: "boolean", description: "Whether the owner manages this object." },
    blockOwnerDeletion: {
      type: "boolean",
      description: "Whether a foreground deletion of the owner waits for this object.",
    },
  },
};

/** meta/v1 ManagedFieldsEntry. */
const managedFieldsEntry: Schema = {
  type: "object",
  properties: {
    manager: text("Who manages the fields."),
    operation: text("Apply or Update."),
    apiVersion: text("The version that the fields are of."),
    time: { type: "string", format: "date-time", description: "When the fields were last changed." },
    fieldsType: text("FieldsV1."),
    fieldsV1: {
      type: "object",
      description: "The fields, as a tree.",
      "x-kubernetes-preserve-unknown-fields": true,
    },
    subresource: text("The subresource through which the fields were changed."),
  },
};

/** meta/v1 ObjectMeta, the same for every kind. */
export const objectMetaSchema: Schema = {
  type: "object",
  description: "Standard object metadata.",
  properties: {
    name: text("Unique within a namespace. Cannot be changed."),
    generateName: text("A prefix that the server completes to a unique name, used where no name is given."),
    namespace: text("The space within which the name is unique. Cannot be changed."),
    selfLink: text("Deprecated and never set."),
    uid: text("Unique in time and space, set by the server."),
    resourceVersion: text("The version of the control plane at which the object last changed. Opaque."),
    generation: {
      type: "integer",
      format: "int64",
      description: "Counts the changes of the desired state; set by the server.",
    },
    creationTimestamp: {
      type: "string",
      format: "date-time",
      nullable: true,
      description: "When the object was created.",
    },
    deletionTimestamp: {
      type: "string",
      format: "date-time",
      nullable: true,
      description: "When deletion was asked for; the object is gone once its finalizers are.",
    },
    deletionGracePeriodSeconds: {
      type: "integer",
      format: "int64",
      description: "Seconds the object was given to end.",
    },
    labels: textMap("Keys and values by which objects are selected."),
    annotations: textMap("Keys and values for tools and people; not selectable."),
    finalizers: {
      type: "array",
      description: "What must happen before the object can be deleted.",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    ownerReferences: {
      type: "array",
      description: "The objects that this one depends on; it is deleted when all of them are gone.",
      items: ownerReference,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
    managedFields: {
      type: "array",
      description: "Which fields are managed by whom; kept by the server.",
      items: managedFieldsEntry,
      "x-kubernetes-list-type": "atomic",
    },
  },
};

/** The schema of a whole object of a kind whose own fields are `schema`. */
export function wholeObjectSchema(schema: Schema): Schema {
  return {
    ...schema,
    type: "object",
    properties: {
      apiVersion: text("The group and version of this representation of the object."),
      kind: text("The kind of the object."),
      metadata: objectMetaSchema,
      ...schema.properties,
    },
  };
}
