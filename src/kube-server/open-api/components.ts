import type { KindDefinition } from "../api/kind.ts";
import { metaPrefix, typeMetaProperties, wholeObjectSchema } from "../api/object-meta.ts";
import {
  atomicList,
  type GroupVersionKind,
  integerField,
  referTo,
  type Schema,
  type SchemaComponent,
  textField,
} from "../api/schema.ts";

/** Schemas of requests and responses, besides objects' `metadata`: kinds, their lists, and meta/v1 types. */

/** @param properties of an object; absent if any properties are allowed */
function metaType(name: string, description: string, properties?: Schema["properties"]): SchemaComponent {
  const fields = properties === undefined ? {} : { properties };
  return { name: `${metaPrefix}${name}`, schema: { type: "object", description, ...fields } };
}

const listMeta = metaType(
  "ListMeta",
  "ListMeta describes metadata of lists and of other objects that are not stored.",
  {
    continue: textField(
      "continue is set if the list was limited and the server has more: an opaque value with which " +
        "the next part is requested.",
    ),
    remainingItemCount: integerField(
      "int64",
      "remainingItemCount is the number of items that are not included in this part of the list. " +
        "Absent if the list is complete, or was requested with selectors.",
    ),
    resourceVersion: textField(
      "The version that the list shows. Opaque. Populated by the system. Read-only.",
    ),
    selfLink: textField(
      "Deprecated: selfLink is a legacy read-only field that the system does not populate.",
    ),
  },
);

const statusCause = metaType(
  "StatusCause",
  "StatusCause says more about one of the errors that a Status stands for.",
  {
    field: textField(
      'The field of the resource that caused this error, such as "name" or "items[0].name". Optional.',
    ),
    message: textField("A human-readable description of the cause of the error."),
    reason: textField("A machine-readable description of the cause of the error."),
  },
);

const statusDetails = metaType(
  "StatusDetails",
  "StatusDetails holds more about a response. The reason of the Status defines what is set.",
  {
    causes: atomicList(referTo(statusCause), "The errors that led to the reason."),
    group: textField("The group of the resource that the status is about."),
    kind: textField("The kind of the resource that the status is about."),
    name: textField("The name of the resource that the status is about, if it is a single one."),
    retryAfterSeconds: integerField(
      "int32",
      "If specified, the time in seconds before the operation should be retried.",
    ),
    uid: textField("UID of the resource, if it is a single one."),
  },
);

const statusComponent: SchemaComponent = {
  groupVersionKinds: [{ group: "", version: "v1", kind: "Status" }],
  ...metaType("Status", "Status is a return value for calls that don't return other objects.", {
    ...typeMetaProperties,
    metadata: referTo(listMeta, "Standard list metadata."),
    code: integerField("int32", "The HTTP status code of this status."),
    details: referTo(statusDetails, "More about the reason."),
    message: textField("A human-readable description of the status of this operation."),
    reason: textField('A machine-readable description of why this operation is in the "Failure" status.'),
    status: textField('Status of the operation. One of: "Success" or "Failure".'),
  }),
};

const preconditions = metaType(
  "Preconditions",
  "Preconditions must be fulfilled before an operation is carried out.",
  {
    resourceVersion: textField("Specifies the target resourceVersion."),
    uid: textField("Specifies the target UID."),
  },
);

const deleteOptions = metaType(
  "DeleteOptions",
  "DeleteOptions may be provided when deleting an API object.",
  {
    ...typeMetaProperties,
    dryRun: atomicList(
      { type: "string" },
      'When present, nothing is persisted. The only valid value is "All".',
    ),
    gracePeriodSeconds: integerField(
      "int64",
      "The duration in seconds before the object should be deleted. Zero means at once.",
    ),
    orphanDependents: {
      type: "boolean",
      description: "Deprecated: use propagationPolicy. Only one of the two may be set.",
    },
    preconditions: referTo(
      preconditions,
      "Must be fulfilled before a deletion is carried out. If not possible, the response is 409 Conflict.",
    ),
    propagationPolicy: textField(
      "Whether and how dependents are deleted: 'Orphan' keeps them, 'Background' deletes them after " +
        "this object, 'Foreground' before it.",
    ),
  },
);

const patchComponent = metaType(
  "Patch",
  "Patch stands for the body of a PATCH request; its content type says what it is.",
);

const rawExtension: SchemaComponent = {
  name: "io.k8s.apimachinery.pkg.runtime.RawExtension",
  schema: { type: "object", description: "RawExtension holds an object of any kind." },
};

const watchEvent = metaType("WatchEvent", "Event represents a single event to a watched resource.", {
  type: textField("ADDED, MODIFIED, DELETED, BOOKMARK or ERROR."),
  object: referTo(
    rawExtension,
    "The new state of the object; the last one, if it was deleted; a Status, if the type is ERROR.",
  ),
});

/** meta/v1 types that belong to every group. */
export interface SharedComponents {
  readonly status: SchemaComponent;
  readonly patch: SchemaComponent;
  readonly deleteOptions: SchemaComponent;
  readonly watchEvent: SchemaComponent;
}

/** @param kinds of all planes, so that a group's document is the same wherever it is served */
export function sharedComponents(kinds: readonly KindDefinition[]): SharedComponents {
  return {
    status: statusComponent,
    patch: patchComponent,
    deleteOptions: { ...deleteOptions, groupVersionKinds: inEveryGroup(kinds, "DeleteOptions") },
    watchEvent: {
      name: watchEvent.name,
      schema: { ...watchEvent.schema, required: ["type", "object"] },
      groupVersionKinds: inEveryGroup(kinds, "WatchEvent"),
    },
  };
}

function inEveryGroup(kinds: readonly KindDefinition[], kind: string): GroupVersionKind[] {
  const groups = new Map(
    kinds.map(({ group, version }) => [`${group}/${version}`, { group, version, kind }]),
  );
  return [{ group: "", version: "v1", kind }, ...[...groups.values()].filter(({ group }) => group !== "")];
}

/** The component of a kind. */
export function kindComponent(kind: KindDefinition): SchemaComponent {
  const { group, version } = kind;
  return {
    name: `${componentPrefix(kind)}.${version}.${kind.kind}`,
    schema: wholeObjectSchema(kind.schema),
    groupVersionKinds: [{ group, version, kind: kind.kind }],
  };
}

/**
 * As in Kubernetes: the Go package of built-in kinds (`io.k8s.api.core`; `io.k8s.api.discovery` for
 * `discovery.k8s.io`), the reversed group of others.
 */
function componentPrefix({ group, builtIn }: KindDefinition): string {
  if (!builtIn) return group.split(".").reverse().join(".");
  return `io.k8s.api.${group === "" ? "core" : group.split(".", 1)}`;
}

export function listComponent(kind: KindDefinition): SchemaComponent {
  const { group, version } = kind;
  const component = kindComponent(kind);
  const listKind = `${kind.kind}List`;
  return {
    name: `${component.name}List`,
    groupVersionKinds: [{ group, version, kind: listKind }],
    schema: {
      type: "object",
      description: `${listKind} is a list of ${kind.kind}.`,
      required: ["items"],
      properties: {
        ...typeMetaProperties,
        metadata: referTo(listMeta, "Standard list metadata."),
        items: {
          type: "array",
          description: `List of ${kind.plural}.`,
          items: referTo(component),
        },
      },
    },
  };
}
