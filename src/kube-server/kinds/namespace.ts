import type { KindDefinition } from "../api/kind.ts";
import { childObject, cloneJson } from "../api/object.ts";
import { timeField } from "../api/object-meta.ts";
import { atomicList, objectField, referTo, type SchemaComponent, textField } from "../api/schema.ts";

/** Namespace that every control plane has from its creation. */
export const defaultNamespace = "default";

const core = "io.k8s.api.core.v1.";

const namespaceSpec: SchemaComponent = {
  name: `${core}NamespaceSpec`,
  schema: objectField("NamespaceSpec describes the attributes of a Namespace.", [], {
    finalizers: atomicList(
      { type: "string" },
      "The values that must be gone before the namespace is removed.",
    ),
  }),
};

const namespaceCondition: SchemaComponent = {
  name: `${core}NamespaceCondition`,
  schema: objectField("NamespaceCondition holds details of the state of a namespace.", ["type", "status"], {
    type: textField("Type of the condition."),
    status: textField("Status of the condition: True, False or Unknown."),
    reason: textField("A machine-readable reason for the status."),
    message: textField("A human-readable description of the status."),
    lastTransitionTime: timeField("Last time the condition changed from one status to another."),
  }),
};

const namespaceStatus: SchemaComponent = {
  name: `${core}NamespaceStatus`,
  schema: objectField("NamespaceStatus is information about the current status of a Namespace.", [], {
    phase: textField("Phase is where the namespace is in its life: Active or Terminating."),
    conditions: {
      type: "array",
      description: "The latest observations of the namespace's state.",
      items: referTo(namespaceCondition),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      "x-kubernetes-patch-merge-key": "type",
      "x-kubernetes-patch-strategy": "merge",
    },
  }),
};

/** core/v1 Namespace. Deleting one empties it first: see the namespace controller. */
export const namespaceKind: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  shortNames: ["ns"],
  categories: [],
  namespaced: false,
  planes: ["organization", "project"],
  nameRule: "label",
  deletedOneByOne: true,
  undeletable: [defaultNamespace],
  builtIn: true,
  statusSubresource: true,
  schema: objectField("Namespace provides a scope for names.", [], {
    spec: referTo(namespaceSpec, "Spec defines the behavior of the Namespace."),
    status: referTo(namespaceStatus, "Status describes the current status of the Namespace."),
  }),
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
      // As in Kubernetes, clients cannot remove the controller's finalizer: the contents would be orphaned.
      namespace["spec"] = cloneJson(old["spec"]);
    }
    const labels = namespace.metadata.labels ?? {};
    labels["kubernetes.io/metadata.name"] = namespace.metadata.name ?? "";
    namespace.metadata.labels = labels;
  },
};
