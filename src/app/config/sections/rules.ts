import { parseDuration } from "../../../base/core/duration.ts";
import { type DocumentPath, valueAt } from "../../../base/documents/yaml/document-path.ts";

/** A conflict between keys that are each valid on their own. */
export interface RuleFault {
  readonly severity: "error" | "warning";
  readonly path: DocumentPath;
  readonly message: string;
}

/** The file's raw values: rules are reported together with the schema's faults, which include wrong types. */
export type Root = Readonly<Record<string, unknown>>;

/** Present, and not one of the values that mean "none". */
export function given(root: unknown, path: DocumentPath): boolean {
  const value = valueAt(root, path);
  return value !== undefined && value !== null && value !== "";
}

export function durationAt(root: Root, path: DocumentPath): number | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" ? parseDuration(value) : undefined;
}

export function error(path: DocumentPath, message: string): RuleFault {
  return { severity: "error", path, message };
}

export function warning(path: DocumentPath, message: string): RuleFault {
  return { severity: "warning", path, message };
}

/** The entries of a list; none if it is of another type. */
export function entriesAt(root: unknown, path: DocumentPath): readonly unknown[] {
  const value = valueAt(root, path);
  return Array.isArray(value) ? value : [];
}
