import { printPath, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { checkExportPolicy } from "../../../exporter/policy/spec/check-policy.ts";
import type { DocumentFault } from "../../../exporter/policy/spec/document-fault.ts";
import { specJsonSchema } from "../../../exporter/policy/spec/schema.ts";
import { conditionColumns, conditionsSchema, statusColumns } from "../../../kube-server/api/conditions.ts";
import { ageColumn, type KindDefinition, type PrinterColumn } from "../../../kube-server/api/kind.ts";
import { childObject, type KubeObject } from "../../../kube-server/api/object.ts";
import { listItem, objectField, type Schema, textField } from "../../../kube-server/api/schema.ts";
import type { FieldError } from "../../../kube-server/api/status.ts";

const statusSchema: Schema = objectField("State of the export, as telemetryd reports it", [], {
  conditions: conditionsSchema,
  lastDeliveredTime: {
    type: "string",
    format: "date-time",
    description: "Time up to which every receiver has every sample: the oldest checkpoint of the sinks",
  },
  sinks: {
    type: "array",
    description: "State of each sink",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    items: listItem(["name"], {
      name: textField("Name of the sink"),
      conditions: conditionsSchema,
      checkpoint: {
        type: "string",
        format: "date-time",
        description: "Time up to which the receiver has every sample",
      },
    }),
  },
});

const [ready] = statusColumns("Ready");
const [delivering, reason, message] = conditionColumns("Delivering");

const lastDelivered: PrinterColumn = {
  name: "Last Delivered",
  type: "date",
  description: "How old the newest sample is up to which every receiver has all samples.",
  priority: 0,
  jsonPath: ".status.lastDeliveredTime",
  value(policy) {
    const time = childObject(policy, "status")?.["lastDeliveredTime"];
    return typeof time === "string" ? time : null;
  },
};

const policyColumns = [ready, delivering, reason, lastDelivered, ageColumn, message];

/** Exports a project's metrics to remote-write receivers. Admission uses the exporter's own policy reader. */
export function exportPolicyKind(groupDomain: string): KindDefinition {
  const description =
    "ExportPolicy declares metrics to export, and the remote-write receivers to export them to.";
  return {
    group: `telemetry.${groupDomain}`,
    version: "v1alpha1",
    kind: "ExportPolicy",
    plural: "exportpolicies",
    shortNames: [],
    categories: [],
    namespaced: true,
    planes: ["project"],
    nameRule: "subdomain",
    builtIn: false,
    statusSubresource: true,
    statusWriters: "members",
    schema: objectField(description, ["spec"], {
      spec: specJsonSchema as Schema,
      status: statusSchema,
    }),
    columns: policyColumns,
    selectableFields: {},
    checksOwnSpec: true,
    counts(policy) {
      const sinks = childObject(policy, "spec")?.["sinks"];
      return { policies: 1, sinks: Array.isArray(sinks) ? sinks.length : 0 };
    },
    validate: (policy) => faultsOf(policy, "error").map((fault) => fieldError(fault, policy)),
    warn: (policy) => faultsOf(policy, "warning").map(({ path, message }) => `${printPath(path)} ${message}`),
  };
}

function faultsOf(policy: KubeObject, severity: DocumentFault["severity"]): DocumentFault[] {
  const { faults } = checkExportPolicy(policy, { plane: "admission", unknownFields: "warning" });
  return faults.filter((fault) => fault.severity === severity);
}

/** Converts a fault of the exporter's reader to the Kubernetes API server's wording. */
function fieldError({ path, reason, message }: DocumentFault, policy: KubeObject): FieldError {
  const field = printPath(path);
  const value = JSON.stringify(valueAt(policy, path) ?? null);
  switch (reason) {
    case "FieldValueRequired":
      return { reason, field, message: `Required value: ${message}` };
    case "FieldValueForbidden":
      return { reason, field, message: `Forbidden: ${message}` };
    case "FieldValueDuplicate":
      return { reason, field, message: `Duplicate value: ${value}: ${message}` };
    case "FieldValueNotFound":
      return { reason, field, message: `Not found: ${value}: ${message}` };
    case "FieldValueNotSupported":
      return { reason, field, message: `Unsupported value: ${value}: ${message}` };
    case "FieldValueTooLong":
      return { reason, field, message: `Too long: ${message}` };
    case "FieldValueTooMany":
      return { reason, field, message: `Too many: ${message}` };
    default:
      return { reason, field, message: `Invalid value: ${value}: ${message}` };
  }
}
