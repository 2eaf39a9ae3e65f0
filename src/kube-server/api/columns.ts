import { fieldAt } from "./fields.ts";
import type { PrinterColumn } from "./kind.ts";
import type { Json } from "./object.ts";

/** A column with the value of a field: null if absent, JSON for lists, as in the tables of CRDs. */
export function fieldColumn(
  name: string,
  description: string,
  path: readonly (string | number)[],
  type: "string" | "integer" = "string",
): PrinterColumn {
  const steps = path.map((step) => (typeof step === "number" ? `[${step}]` : `.${escaped(step)}`));
  return {
    name,
    type,
    description,
    priority: 0,
    jsonPath: steps.join(""),
    value: (object) => cell(fieldAt(object, path)),
  };
}

/** A dot would end a name in a JSON path. */
function escaped(name: string): string {
  return name.replaceAll(".", "\\.");
}

function cell(value: Json | undefined): string | number | boolean | null {
  if (value === undefined) return null;
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}
