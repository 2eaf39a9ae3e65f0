import { checkSchema } from "../../../base/documents/schema-issue.ts";
import { type DocumentPath, isObject } from "../../../base/documents/yaml/document-path.ts";
import { choiceFaults, withoutMissingChoices } from "./choice.ts";
import { asErrors, type DocumentFault, errorAt, errorAtName } from "./document-fault.ts";
import { checkMetricsql } from "./metricsql-source.ts";
import { sourceSchema } from "./schema.ts";
import type { PolicySource } from "./types.ts";

/** One checked source. */
export interface SourceCheck {
  readonly name: string;
  readonly value: PolicySource | undefined;
  readonly faults: DocumentFault[];
}

/** @param tenantLabel see `checkMetricsql` */
export function checkSource(raw: unknown, path: DocumentPath, tenantLabel?: string): SourceCheck {
  const name = nameOf(raw, path);
  const selectors = selectorPaths(raw).map((place) =>
    errorAtName(
      [...path, ...place],
      "FieldValueForbidden",
      "is not supported: the fields of resource selectors are not published; select with metrics.metricsql",
    ),
  );
  const wrongChoices = choiceFaults(raw, path, [["metrics"]]).filter(
    (fault) => !isSelectorName(fault.path.at(-1) ?? ""),
  );
  const checked = checkSchema(sourceSchema, raw, path);
  if (checked.issues !== undefined) {
    // With a selector, the missing metricsql would repeat the same fault.
    const issues = checked.issues.filter(
      (issue) => selectors.length === 0 || issue.reason !== "FieldValueRequired",
    );
    const faults = withoutMissingChoices([...wrongChoices, ...asErrors(issues)]);
    return { name, value: undefined, faults: [...selectors, ...faults] };
  }
  const { interval, metrics } = checked.value;
  const { metricsql } = metrics;
  const problem = checkMetricsql(metricsql, tenantLabel);
  const faults = [...selectors, ...wrongChoices];
  if (problem !== undefined) {
    faults.push({
      ...errorAt([...path, "metrics", "metricsql"], "FieldValueInvalid", problem.message),
      ...problem,
    });
  }
  const value = { name, metricsql, ...(interval !== undefined && { intervalMs: Math.floor(interval) }) };
  return { name, value, faults };
}

/**
 * Members of a source that select resources instead of metrics. Their names are unpublished, so they are
 * matched by likeness.
 */
function selectorPaths(raw: unknown): DocumentPath[] {
  if (!isObject(raw)) return [];
  const metrics = raw["metrics"];
  return [
    ...Object.keys(raw)
      .filter(isSelectorName)
      .map((key) => [key]),
    ...Object.keys(isObject(metrics) ? metrics : {})
      .filter(isSelectorName)
      .map((key) => ["metrics", key]),
  ];
}

export function isSelectorName(key: string | number): boolean {
  return /selector|^resources?$/i.test(String(key));
}

/** The name of a source or sink as written, or its path if it has none. */
export function nameOf(raw: unknown, path: DocumentPath): string {
  const name = isObject(raw) ? raw["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : `${path.at(-2)}[${path.at(-1)}]`;
}
