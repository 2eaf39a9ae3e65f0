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

const conditionPath = (type: string, field: string): string =>
  `.status.conditions[?(@.type=="${type}")].${field}`;

/** Null if absent, as in the tables of CRDs. */
function conditionText(object: KubeObject, type: string, field: string): string | null {
  const value = findCondition(object, type)?.[field];
  return value === undefined ? null : String(value);
}

/** Columns for a condition's status, reason and message. */
export function conditionColumns(
  type: string,
): [status: PrinterColumn, reason: PrinterColumn, message: PrinterColumn] {
  return [
    ...statusColumns(type),
    {
      name: "Message",
      type: "string",
      description: "The reason in full.",
      priority: 1,
      jsonPath: conditionPath(type, "message"),
      value: (object) => conditionText(object, type, "message"),
    },
  ];
}

/** Columns for a condition's status and reason. */
export function statusColumns(type: string): [status: PrinterColumn, reason: PrinterColumn] {
  return [
    {
      name: type,
      type: "string",
      description: `Whether the object is ${type}.`,
      priority: 0,
      jsonPath: conditionPath(type, "status"),
      value: (object) => conditionText(object, type, "status"),
    },
    {
      name: "Reason",
      type: "string",
      description: `Why the object is ${type} or not.`,
      priority: 0,
      jsonPath: conditionPath(type, "reason"),
      value: (object) => conditionText(object, type, "reason"),
    },
  ];
}
