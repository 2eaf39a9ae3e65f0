import { createHash } from "node:crypto";
import { defined } from "../../base/core/defined.ts";
import {
  ageColumn,
  apiVersionOf,
  type KindDefinition,
  type PlaneType,
  type PrinterColumn,
} from "../api/kind.ts";
import type { JsonObject, KubeObject } from "../api/object.ts";
import { wholeObjectSchema } from "../api/object-meta.ts";
import { type Schema, textField } from "../api/schema.ts";

/** Definitions are part of the program, so they are older than every object. */
const createdAt = "2026-01-01T00:00:00Z";

const names: Schema = {
  type: "object",
  description: "Names of the kind.",
  properties: {
    kind: textField("Kind of an object."),
    listKind: textField("Kind of a list."),
    plural: textField("Name in paths."),
    singular: textField("Name of one object."),
    shortNames: { type: "array", description: "Short names.", items: { type: "string" } },
    categories: { type: "array", description: "Groups of kinds.", items: { type: "string" } },
  },
};

const anyObject = (description: string): Schema => ({
  type: "object",
  description,
  "x-kubernetes-preserve-unknown-fields": true,
});

const description =
  "CustomResourceDefinition describes a kind that the control plane serves. It can only be read.";

const definitionSchema: Schema = {
  type: "object",
  description,
  properties: {
    spec: {
      type: "object",
      description: "The kind.",
      properties: {
        group: textField("Group of the kind."),
        names,
        scope: textField("Namespaced or Cluster."),
        versions: {
          type: "array",
          description: "Versions.",
          items: anyObject("A version, with its schema."),
        },
      },
    },
    status: {
      type: "object",
      description: "Whether the kind is served.",
      properties: {
        acceptedNames: names,
        conditions: { type: "array", description: "Conditions.", items: anyObject("A condition.") },
        storedVersions: { type: "array", description: "Stored versions.", items: { type: "string" } },
      },
    },
  },
};

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
    singular: "customresourcedefinition",
    shortNames: ["crd", "crds"],
    categories: ["api-extensions"],
    namespaced: false,
    planes: ["organization", "project"],
    description,
    nameRule: "subdomain",
    builtIn: true,
    statusSubresource: false,
    schema: definitionSchema,
    columns: [],
    selectableFields: {},
    fixedObjects(plane) {
      const objects = made.get(plane) ?? definitionsOf(kinds, plane);
      made.set(plane, objects);
      return objects;
    },
  };
}

function definitionsOf(kinds: readonly KindDefinition[], plane: PlaneType): KubeObject[] {
  const custom = kinds.filter(({ builtIn, planes }) => !builtIn && planes.includes(plane));
  return custom.map(establishedDefinition).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? "";

/** What the author of a kind's definition writes. */
export function definitionOf(kind: KindDefinition) {
  const { group, namespaced, plural, singular, shortNames, categories } = kind;
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
        singular,
        shortNames: shortNames.length === 0 ? undefined : shortNames,
        categories: categories.length === 0 ? undefined : categories,
      }),
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          ...(kind.statusSubresource ? { subresources: { status: {} } } : {}),
          additionalPrinterColumns: columnsOf(kind),
          schema: { openAPIV3Schema: structural(wholeObjectSchema(kind.schema), true) },
        },
      ],
    },
  };
}

/** As an API server has it once it serves the kind. */
function establishedDefinition(kind: KindDefinition): KubeObject {
  const definition = definitionOf(kind);
  const { name } = definition.metadata;
  const digest = createHash("sha256")
    .update(`${apiVersionOf(kind)} ${name}`)
    .digest("hex");
  const uid = digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
  // Kubernetes demands it of its own groups: a link to the approval, or this word.
  const annotations = kind.group.endsWith(".k8s.io")
    ? { annotations: { "api-approved.kubernetes.io": "unapproved, served in part" } }
    : {};
  const condition = (type: string, reason: string, message: string) => ({
    ...{ type, status: "True", lastTransitionTime: createdAt, reason, message },
  });
  const status = {
    conditions: [
      condition("NamesAccepted", "NoConflicts", "no conflicts found"),
      condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
    ],
    acceptedNames: definition.spec.names,
    storedVersions: [kind.version],
  };
  const metadata = {
    ...{ name, uid, resourceVersion: "1", generation: 1, creationTimestamp: createdAt },
    ...annotations,
  };
  return { ...definition, metadata, status } as unknown as KubeObject;
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
