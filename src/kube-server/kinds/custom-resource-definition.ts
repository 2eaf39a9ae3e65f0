import { defined } from "../../base/core/defined.ts";
import { fixedUid } from "../api/fixed-uid.ts";
import {
  ageColumn,
  apiVersionOf,
  type KindDefinition,
  nameColumn,
  type PlaneType,
  type PrinterColumn,
  singularOf,
} from "../api/kind.ts";
import { childObject, type JsonObject, type KubeObject } from "../api/object.ts";
import { wholeObjectSchema } from "../api/object-meta.ts";
import { objectField, type Schema, textField } from "../api/schema.ts";

/** As a Kubernetes API server prints it: the time, not the age. */
const createdAtColumn: PrinterColumn = {
  name: "Created At",
  type: "string",
  description: "When the control plane that serves the kind was created.",
  priority: 0,
  value: (object) => object.metadata.creationTimestamp ?? null,
};

const names: Schema = objectField("Names of the kind.", [], {
  kind: textField("Kind of an object."),
  listKind: textField("Kind of a list."),
  plural: textField("Name in paths."),
  singular: textField("Name of one object."),
  shortNames: { type: "array", description: "Short names.", items: { type: "string" } },
  categories: { type: "array", description: "Groups of kinds.", items: { type: "string" } },
});

const anyObject = (description: string): Schema => ({
  type: "object",
  description,
  "x-kubernetes-preserve-unknown-fields": true,
});

const description =
  "CustomResourceDefinition describes a kind that the control plane serves. It can only be read.";

const definitionSchema: Schema = objectField(description, [], {
  spec: objectField("The kind.", [], {
    group: textField("Group of the kind."),
    names,
    scope: textField("Namespaced or Cluster."),
    versions: {
      type: "array",
      description: "Versions.",
      items: anyObject("A version, with its schema."),
    },
  }),
  status: objectField("Whether the kind is served.", [], {
    acceptedNames: names,
    conditions: { type: "array", description: "Conditions.", items: anyObject("A condition.") },
    storedVersions: { type: "array", description: "Stored versions.", items: { type: "string" } },
  }),
});

/**
 * apiextensions.k8s.io/v1 CustomResourceDefinition, by which clients find kinds and their schemas. Its
 * objects are made from the other kinds.
 */
export function customResourceDefinitionKind(kinds: readonly KindDefinition[]): KindDefinition {
  const made = new Map<PlaneType, readonly KubeObject[]>();
  return {
    group: "apiextensions.k8s.io",
    version: "v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    namespaced: false,
    planes: ["organization", "project"],
    nameRule: "subdomain",
    builtIn: true,
    statusSubresource: false,
    schema: definitionSchema,
    columns: [nameColumn, createdAtColumn],
    selectableFields: {},
    fixedObjects(plane, createdAt) {
      const objects = made.get(plane) ?? definitionsOf(kinds, plane);
      made.set(plane, objects);
      return objects.map((object) => establishedAt(object, createdAt));
    },
  };
}

function definitionsOf(kinds: readonly KindDefinition[], plane: PlaneType): KubeObject[] {
  const custom = kinds.filter(({ builtIn, planes }) => !builtIn && planes.includes(plane));
  const isVersion = ({ group, storedAs }: KindDefinition) => storedAs?.group === group;
  const defined = custom.filter((kind) => !isVersion(kind));
  const versionsOf = (kind: KindDefinition) =>
    custom.filter((each) => isVersion(each) && each.storedAs === kind);
  return defined
    .map((kind) => establishedDefinition(kind, versionsOf(kind)))
    .sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? "";

/**
 * What the author of a kind's definition writes.
 *
 * @param others versions that are served beside the stored one
 */
export function definitionOf(kind: KindDefinition, others: readonly KindDefinition[] = []) {
  const { group, namespaced, plural, shortNames, categories } = kind;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: namespaced ? "Namespaced" : "Cluster",
      names: defined({
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural,
        singular: singularOf(kind),
        shortNames: shortNames.length === 0 ? undefined : shortNames,
        categories: categories.length === 0 ? undefined : categories,
      }),
      versions: [kind, ...others].map((version) => ({
        name: version.version,
        served: true,
        storage: version === kind,
        ...(version.statusSubresource ? { subresources: { status: {} } } : {}),
        additionalPrinterColumns: columnsOf(version),
        schema: { openAPIV3Schema: structural(wholeObjectSchema(version.schema), true) },
      })),
    },
  };
}

/** As an API server has it once it serves the kind. */
function establishedDefinition(kind: KindDefinition, others: readonly KindDefinition[]): KubeObject {
  const definition = definitionOf(kind, others);
  const { name } = definition.metadata;
  const uid = fixedUid(`${apiVersionOf(kind)} ${name}`);
  // Kubernetes demands it of its own groups: a link to the approval, or this word.
  const annotations = kind.group.endsWith(".k8s.io")
    ? { annotations: { "api-approved.kubernetes.io": "unapproved, served in part" } }
    : {};
  const status = {
    acceptedNames: definition.spec.names,
    storedVersions: [kind.version],
  };
  const metadata = { name, uid, resourceVersion: "1", generation: 1, ...annotations };
  return { ...definition, metadata, status } as unknown as KubeObject;
}

/** A definition in a plane that was created then; all else is shared. */
function establishedAt(definition: KubeObject, createdAt: string): KubeObject {
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: "True",
    lastTransitionTime: createdAt,
    reason,
    message,
  });
  const conditions = [
    condition("NamesAccepted", "NoConflicts", "no conflicts found"),
    condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
  ];
  return {
    ...definition,
    metadata: { ...definition.metadata, creationTimestamp: createdAt },
    status: { ...childObject(definition, "status"), conditions },
  };
}

/** A definition's columns have a path each; those without one are left out. */
function columnsOf({ columns }: KindDefinition): JsonObject[] {
  const all = columns.includes(ageColumn) ? columns : [...columns, ageColumn];
  return all.flatMap(({ name, type, description, priority, jsonPath }: PrinterColumn) =>
    jsonPath === undefined ? [] : [{ name, type, description, priority, jsonPath }],
  );
}

/** A schema without what only other documents have; metadata is described as an object only. */
function structural(schema: Schema, isRoot = false): Schema {
  const {
    component: _component,
    "x-kubernetes-patch-strategy": _strategy,
    "x-kubernetes-patch-merge-key": _key,
    ...own
  } = schema;
  const { properties, items, additionalProperties } = own;
  const fields = Object.entries(properties ?? {}).map(([name, field]): [string, Schema] => [
    name,
    isRoot && name === "metadata" ? { type: "object" } : structural(field),
  ]);
  return defined({
    ...own,
    properties: properties && Object.fromEntries(fields),
    items: items && structural(items),
    additionalProperties: additionalProperties && structural(additionalProperties),
  }) as Schema;
}
