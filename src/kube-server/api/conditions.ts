import type { PrinterColumn } from "./kind.ts";
import { childObject, isJsonObject, type Json, type KubeObject } from "./object.ts";
import { choiceField, listItem, type Schema } from "./schema.ts";

/** `status.conditions` (meta/v1 Condition). */
export const conditionsSchema: Schema = {
  type: "array",
  description: "Latest observations of the state, one entry for each type",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
  items: listItem(["type", "status", "lastTransitionTime", "reason", "message"], {
    type: { type: "string", description: "Type of the condition, such as Ready", maxLength: 316 },
    status: choiceField("Status of the condition", ["True", "False", "Unknown"]),
    observedGeneration: {
      type: "integer",
      format: "int64",
      minimum: 0,
      description: "Generation of the object that the condition was set for",
    },
    lastTransitionTime: {
      type: "string",
      format: "date-time",
      description: "Last time the status changed",
    },
    reason: {
      type: "string",
      description: "Machine-readable reason for the status",
      minLength: 1,
      maxLength: 1024,
    },
    message: { type: "string", description: "Human-readable details of the status", maxLength: 32768 },
  }),
};

/**
 * Schema of a `status` whose conditions wait for a controller from the creation on.
 *
 * @param types of the conditions
 * @param fields other than conditions
 */
export function pendingStatus(
  description: string,
  types: readonly string[],
  fields: Readonly<Record<string, Schema>> = {},
): Schema {
  const conditions = types.map((type) => ({
    type,
    status: "Unknown",
    reason: "Pending",
    message: "Waiting for controller",
    lastTransitionTime: "1970-01-01T00:00:00Z",
  }));
  return {
    type: "object",
    description,
    default: { conditions },
    properties: { ...fields, conditions: conditionsSchema },
  };
}

/** The condition of a type in `status.conditions`. */
export function findCondition(object: KubeObject, type: string): { [field: string]: Json } | undefined {
  const conditions = childObject(object, "status")?.["conditions"];
  if (!Array.isArray(conditions)) return undefined;
  return conditions.filter(isJsonObject).find((condition) => condition["type"] === type);
}

/** A column with a field of a condition: null if absent, as in the tables of CRDs. */
function conditionColumn(
  type: string,
  field: "status" | "reason" | "message",
  name: string,
  description: string,
): PrinterColumn {
  return {
    name,
    type: "string",
    description,
    priority: field === "message" ? 1 : 0,
    jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
    value(object) {
      const value = findCondition(object, type)?.[field];
      return value === undefined ? null : String(value);
    },
  };
}

/** Columns for a condition's status, reason and message. */
export function conditionColumns(
  type: string,
): [status: PrinterColumn, reason: PrinterColumn, message: PrinterColumn] {
  return [...statusColumns(type), conditionColumn(type, "message", "Message", "The reason in full.")];
}

/** Columns for a condition's status and reason. */
export function statusColumns(type: string): [status: PrinterColumn, reason: PrinterColumn] {
  return [
    conditionColumn(type, "status", type, `Whether the object is ${type}.`),
    conditionColumn(type, "reason", "Reason", `Why the object is ${type} or not.`),
  ];
}
