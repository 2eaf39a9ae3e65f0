import {
  atomicList,
  integerField,
  objectField,
  referTo,
  type Schema,
  type SchemaComponent,
  textField,
  textMap,
} from "./schema.ts";

/** meta/v1 types that are part of every object. */

export const metaPrefix = "io.k8s.apimachinery.pkg.apis.meta.v1.";

const timeComponent: SchemaComponent = {
  name: `${metaPrefix}Time`,
  schema: {
    type: "string",
    format: "date-time",
    description: "Time is a point in time as RFC 3339 writes it.",
  },
};

/** A time that may be null, meaning no time. */
export function timeField(description: string): Schema {
  return { ...referTo(timeComponent, description), nullable: true };
}

const microTime: SchemaComponent = {
  name: `${metaPrefix}MicroTime`,
  schema: {
    type: "string",
    format: "date-time",
    description: "MicroTime is a point in time with microseconds as RFC 3339 writes it.",
  },
};

/** A time with microseconds that may be null, meaning no time. */
export function microTimeField(description: string): Schema {
  return { ...referTo(microTime, description), nullable: true };
}

const ownerReference: SchemaComponent = {
  name: `${metaPrefix}OwnerReference`,
  schema: {
    type: "object",
    description:
      "OwnerReference identifies an owning object. The owner must be in the same namespace as the " +
      "dependent, or be cluster-scoped, so there is no namespace field.",
    required: ["apiVersion", "kind", "name", "uid"],
    "x-kubernetes-map-type": "atomic",
    properties: {
      apiVersion: textField("API version of the referent."),
      kind: textField("Kind of the referent."),
      name: textField("Name of the referent."),
      uid: textField("UID of the referent."),
      controller: {
        type: "boolean",
        description: "If true, this reference points to the managing controller.",
      },
      blockOwnerDeletion: {
        type: "boolean",
        description:
          'If true, and if the owner has the "foregroundDeletion" finalizer, the owner cannot be ' +
          "removed until this reference is removed. Defaults to false.",
      },
    },
  },
};

const fieldsV1: SchemaComponent = {
  name: `${metaPrefix}FieldsV1`,
  schema: {
    type: "object",
    description:
      "FieldsV1 stores a set of fields as a tree in JSON. A key is '.' for the field itself, " +
      "'f:<name>' for a field of an object or a key of a map, 'v:<value>' for an item of a set, or " +
      "'k:<keys>' for an item of a list with keys.",
  },
};

const managedFieldsEntry: SchemaComponent = {
  name: `${metaPrefix}ManagedFieldsEntry`,
  schema: objectField(
    "ManagedFieldsEntry is a manager, a set of fields and the version of the object that the set " +
      "applies to.",
    [],
    {
      manager: textField("Manager identifies the workflow that manages these fields."),
      operation: textField("Operation is what led to this entry: 'Apply' or 'Update'."),
      apiVersion: textField("APIVersion is the version of the object that this set of fields applies to."),
      time: timeField("Time is when this entry was last changed."),
      fieldsType: textField('FieldsType is the format of the fields. The only value is "FieldsV1".'),
      fieldsV1: referTo(fieldsV1, 'FieldsV1 holds the fields, in the format "FieldsV1".'),
      subresource: textField(
        "Subresource is the subresource through which the object was updated, or empty if it was " +
          "updated through the main resource. The same manager of another subresource is another " +
          "manager.",
      ),
    },
  ),
};

/** The same for every kind. */
export const objectMeta: SchemaComponent = {
  name: `${metaPrefix}ObjectMeta`,
  schema: objectField("ObjectMeta is metadata that every stored object has.", [], {
    name: textField(
      "Name must be unique within a namespace. Is required when creating resources, unless " +
        "generateName is given. Cannot be updated.",
    ),
    generateName: textField(
      "GenerateName is an optional prefix that the server completes to a unique name, only if the " +
        "Name field is not provided.",
    ),
    namespace: textField(
      "Namespace defines the space within which each name must be unique. Empty for objects that " +
        "are not scoped to a namespace. Cannot be updated.",
    ),
    selfLink: textField(
      "Deprecated: selfLink is a legacy read-only field that the system does not populate.",
    ),
    uid: textField(
      "UID is the unique in time and space value for this object. Populated by the system. Read-only.",
    ),
    resourceVersion: textField(
      "An opaque value that represents the version of this object. Clients use it to detect " +
        "changes, for optimistic concurrency, and to watch; they must pass it back unmodified. " +
        "Populated by the system. Read-only.",
    ),
    generation: integerField(
      "int64",
      "A sequence number of the desired state, raised by each change of it. Populated by the " +
        "system. Read-only.",
    ),
    creationTimestamp: timeField(
      "CreationTimestamp is the server's time when this object was created. Populated by the " +
        "system. Read-only.",
    ),
    deletionTimestamp: timeField(
      "DeletionTimestamp is when deletion of this object was requested. The object is removed once " +
        "its list of finalizers is empty. Populated by the system. Read-only.",
    ),
    deletionGracePeriodSeconds: integerField(
      "int64",
      "Number of seconds for this object to terminate before it is removed. Only set when " +
        "deletionTimestamp is set. Read-only.",
    ),
    labels: textMap("Map of string keys and values by which objects are organized and selected."),
    annotations: textMap(
      "Annotations is a map of string keys and values in which tools store arbitrary metadata. They " +
        "cannot be selected by.",
    ),
    finalizers: {
      type: "array",
      description:
        "Must be empty before the object is removed. Each entry identifies the component that " +
        "removes the entry from the list. Once deletion is requested, entries can only be removed.",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    ownerReferences: {
      type: "array",
      description:
        "List of objects that this object depends on. When all of them have been deleted, this " +
        "object is garbage collected. At most one of them is the managing controller.",
      items: referTo(ownerReference),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
    managedFields: atomicList(
      referTo(managedFieldsEntry),
      "ManagedFields maps each manager to the set of fields that it manages. Kept by the server " +
        "for server-side apply; users rarely need to set or read it.",
    ),
  }),
};

export const typeMetaProperties = {
  apiVersion: textField(
    "APIVersion defines the versioned schema of this representation of an object. Servers convert " +
      "recognized schemas to the latest internal value, and may reject unrecognized values.",
  ),
  kind: textField(
    "Kind is a string value representing the REST resource this object represents. Servers may infer " +
      "it from the endpoint that the request is sent to. Cannot be updated. In CamelCase.",
  ),
} as const;

/** Schema of a kind's whole object, given the schema of its own fields. */
export function wholeObjectSchema(schema: Schema): Schema {
  return {
    ...schema,
    type: "object",
    properties: {
      ...typeMetaProperties,
      metadata: referTo(objectMeta, "Standard object's metadata."),
      ...schema.properties,
    },
  };
}
