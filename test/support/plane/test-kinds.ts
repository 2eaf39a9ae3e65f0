import { ageColumn, type KindDefinition } from "../../../src/kube-server/api/kind.ts";
import { childObject } from "../../../src/kube-server/api/object.ts";
import { intOrStringField, type Schema, textField } from "../../../src/kube-server/api/schema.ts";
import { notFoundValue } from "../../../src/kube-server/api/validate.ts";
import { configMapKind } from "../../../src/kube-server/kinds/config-map.ts";
import { servedKinds } from "../../../src/platform/served-kinds.ts";
import { groupDomain } from "./platform.ts";

/** Kinds made for tests: each uses features that few of the served kinds use. */

const ports: Schema = {
  type: "array",
  description: "Ports, by name",
  maxItems: 2,
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
  "x-kubernetes-patch-strategy": "merge",
  "x-kubernetes-patch-merge-key": "name",
  items: {
    type: "object",
    required: ["name"],
    properties: { name: textField("Name of the port"), port: intOrStringField("Number or name of the port") },
  },
};

/** A custom kind that refers to a ConfigMap which must exist. */
export const widgetKind: KindDefinition = {
  group: `things.${groupDomain}`,
  version: "v1alpha",
  kind: "Widget",
  plural: "widgets",
  shortNames: [],
  categories: ["toys"],
  namespaced: true,
  planes: ["project"],
  nameRule: "subdomain",
  builtIn: false,
  statusSubresource: true,
  statusWriters: "members",
  schema: {
    type: "object",
    description: "Widget is a thing for tests.",
    properties: {
      spec: {
        type: "object",
        description: "Desired state",
        "x-kubernetes-validations": [{ rule: "!has(self.port) || self.port != 13", message: "unlucky" }],
        properties: {
          configMap: textField("Name of a ConfigMap in the same namespace"),
          port: { ...intOrStringField("Number or name of a port"), default: 80 },
          ports,
          families: { type: "array", description: "IP families", items: { type: "string" } },
          topology: {
            type: "object",
            description: "Where it is",
            minProperties: 1,
            additionalProperties: { type: "string" },
          },
        },
      },
      status: {
        type: "object",
        description: "Observed state",
        properties: { phase: textField("What it does") },
      },
    },
  },
  columns: [
    ageColumn,
    {
      name: "Families",
      type: "string",
      description: "IP families.",
      priority: 0,
      value: (object) => (childObject(object, "spec")?.["families"] as string[] | undefined) ?? null,
    },
    {
      name: "Phase",
      type: "string",
      description: "What it does.",
      priority: 0,
      value: (object) => (childObject(object, "status")?.["phase"] as string | undefined) ?? null,
    },
  ],
  selectableFields: {},
  async admit(object, old, reader) {
    const wanted = childObject(object, "spec")?.["configMap"];
    if (typeof wanted !== "string" || wanted === childObject(old, "spec")?.["configMap"]) return [];
    const namespace = object.metadata.namespace ?? "";
    if ((await reader.get(configMapKind, namespace, wanted)) !== undefined) return [];
    const near: string[] = [];
    for await (const { metadata } of reader.each(configMapKind, namespace)) near.push(metadata.name ?? "");
    const fault = notFoundValue("spec.configMap", wanted);
    return [{ ...fault, message: `${fault.message}: known are ${near.sort().join(", ")}` }];
  },
};

/** The same objects, in another group. */
export const gadgetGroupWidgetKind: KindDefinition = {
  ...widgetKind,
  group: `gadgets.${groupDomain}`,
  storedAs: widgetKind,
};

/** A built-in kind with a generation. */
export const shardKind: KindDefinition = {
  group: "shards.k8s.io",
  version: "v1",
  kind: "Shard",
  plural: "shards",
  shortNames: [],
  categories: ["toys"],
  namespaced: true,
  planes: ["project"],
  nameRule: "subdomain",
  builtIn: true,
  hasGeneration: true,
  statusSubresource: false,
  schema: { type: "object", description: "Shard is a built-in thing for tests.", properties: { ports } },
  columns: [],
  selectableFields: {},
};

export const testKinds: readonly KindDefinition[] = [
  ...servedKinds(groupDomain),
  widgetKind,
  gadgetGroupWidgetKind,
  shardKind,
];
