import type { Expr, LabelFilter, Selector } from "../ast/ast.ts";
import type { Template } from "./template-ast.ts";

/** The filters without duplicates. */
export function unique(filters: readonly LabelFilter[]): readonly LabelFilter[] {
  if (filters.length < 2) return filters;
  const seen = new Set<string>();
  return filters.filter(({ label, op, value }) => {
    const key = `${label}\0${op}\0${value}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The filters, with the metric name, if present, first. */
export function nameFirst(filters: readonly LabelFilter[]): readonly LabelFilter[] {
  const index = filters.findIndex(({ label, op }) => label === "__name__" && op === "=");
  const name = filters[index];
  return name && index > 0 ? [name, ...filters.slice(0, index), ...filters.slice(index + 1)] : filters;
}

/** The metric name that all groups start with. */
export function commonName(groups: Selector["groups"]): string | undefined {
  const first = groups[0]?.[0];
  if (first?.label !== "__name__" || first.op !== "=") return undefined;
  const same = groups.every(
    ([own]) => own?.label === "__name__" && own.op === "=" && own.value === first.value,
  );
  return same ? first.value : undefined;
}

/** The name, if the expression is only a metric name. */
export function nameOnly(value: Expr | Template): string | undefined {
  if (value.type !== "selector" || value.groups.length !== 1 || value.groups[0]?.length !== 1)
    return undefined;
  const [filter] = value.groups[0];
  if (!filter || !("label" in filter) || filter.label !== "__name__" || filter.op !== "=") return undefined;
  if (typeof filter.value === "string") return filter.value;
  const [part] = filter.value;
  return filter.value.length === 1 && part?.type === "literal" ? part.text : undefined;
}
