import { childObject, cloneJson } from "../object.ts";
import type { KindDefinition } from "./kind.ts";

/** The namespace that every control plane has from its beginning. */
export const defaultNamespace = "default";

/** core/v1 Namespace. Its deletion empties it first: see the namespace controller. */
export const namespaceKind: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  singular: "namespace",
  shortNames: ["ns"],
  categories: [],
  namespaced: false,
  planes: ["organization", "project"],
  description: "Namespace provides a scope for names.",
  nameRule: "label",
  undeletable: [defaultNamespace],
  builtIn: true,
  statusSubresource: true,
  schema: {
    type: "object",
    description: "Namespace provides a scope for names.",
    properties: {
      spec: {
        type: "object",
        description: "What is wanted of the namespace.",
        properties: {
          finalizers: {
            type: "array",
            description: "What must be done before the namespace is removed.",
            items: { type: "string" },
            "x-kubernetes-list-type": "atomic",
          },
        },
      },
      status: {
        type: "object",
        description: "What is known of the namespace.",
        properties: {
          phase: { type: "string", description: "Active or Terminating." },
          conditions: {
            type: "array",
            description: "Details of the state.",
            items: {
              type: "object",
              properties: {
                type: { type: "string", description: "What the condition is about." },
                status: { type: "string", description: "True, False or Unknown." },
                reason: { type: "string", description: "Why, in one word." },
                message: { type: "string", description: "Why, for people." },
                lastTransitionTime: {
                  type: "string",
                  format: "date-time",
                  description: "When the status last changed.",
                },
              },
            },
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
            "x-kubernetes-patch-merge-key": "type",
            "x-kubernetes-patch-strategy": "merge",
          },
        },
      },
    },
  },
  columns: [
    {
      name: "Status",
      type: "string",
      description: "Active or Terminating.",
      priority: 0,
      value: (namespace) => String(childObject(namespace, "status")?.["phase"] ?? ""),
    },
  ],
  selectableFields: {
    "status.phase": (namespace) => String(childObject(namespace, "status")?.["phase"] ?? ""),
  },
  prepare(namespace, old) {
    if (old === undefined) {
      namespace["spec"] = { finalizers: ["kubernetes"] };
      namespace["status"] = { phase: "Active" };
    } else if (old["spec"] !== undefined) {
      // As in Kubernetes, nobody takes the finalizer of the namespace controller away: the contents would stay behind.
      namespace["spec"] = cloneJson(old["spec"]);
    }
    const labels = namespace.metadata.labels ?? {};
    labels["kubernetes.io/metadata.name"] = namespace.metadata.name ?? "";
    namespace.metadata.labels = labels;
  },
};
