import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { parseYaml } from "../../../base/documents/yaml-source.ts";
import { filterTest } from "../../metricsql/analysis/matcher.ts";
import type { LabelFilter, Selector } from "../../metricsql/ast/ast.ts";
import type { Label } from "../../series/series.ts";

/**
 * The `external_labels` of a Prometheus, from the beginning of a response of `/api/v1/status/config`:
 * `{"status":"success","data":{"yaml":"global:\n  external_labels:\n    cluster: eu\n…"}}`. Remote read adds
 * these labels to each series, and `/api/v1/query_exemplars` does not.
 *
 * @returns no labels when the text has none that can be understood
 */
export function externalLabelsIn(text: string): readonly Label[] {
  const [, escaped] = yamlText.exec(text) ?? [];
  if (escaped === undefined) return [];
  try {
    const config = JSON.parse(`"${escaped}"`) as string;
    return labelsOfGlobal(globalSection(config));
  } catch {
    return [];
  }
}

/** A string of JSON up to its end, or up to the last whole character of a text that is cut off. */
const yamlText = /"yaml":\s*"((?:[^"\\]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*)/;

/** The lines of the section `global`; empty when there are none. */
function globalSection(config: string): string {
  const start = config.startsWith("global:") ? 0 : config.indexOf("\nglobal:") + 1;
  const rest = config.slice(start);
  if (!rest.startsWith("global:")) return "";
  const end = /\n[^ \n#]/.exec(rest);
  return end === null ? rest : rest.slice(0, end.index + 1);
}

function labelsOfGlobal(section: string): readonly Label[] {
  const { value } = parseYaml(section).documents[0] ?? {};
  const global = isObject(value) ? value["global"] : undefined;
  const labels = isObject(global) ? global["external_labels"] : undefined;
  if (!isObject(labels)) return [];
  return Object.entries(labels).map(([name, text]) => ({ name, value: String(text) }));
}

/** The labels of a series as remote read returns them: a series' own label wins. Sorted by name. */
export function withExternalLabels(own: readonly Label[], external: readonly Label[]): readonly Label[] {
  const added = external.filter((label) => own.every(({ name }) => name !== label.name));
  if (added.length === 0) return own;
  return [...own, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * The filters to send to a store that adds external labels after it has matched, as remote read does: those
 * that may hold for a series with these labels. It may return more than the selector's series, so each has to
 * be checked against the selector itself.
 */
export function remoteReadSelector(selector: Selector, external: readonly Label[]): Selector {
  if (external.length === 0) return selector;
  const groups = selector.groups.map((group) =>
    group.flatMap((filter) => {
      const added = external.find(({ name }) => name === filter.label);
      if (added === undefined) return [filter];
      // Where the external label fulfils the filter, a series of the store need not have the label.
      return filterTest(filter)(added.value) ? [] : [present(filter.label), filter];
    }),
  );
  return { ...selector, groups: groups.map(notEmpty) };
}

/**
 * The same selection in PromQL, which knows no external labels: exactly the series that have the selector's
 * labels once the external ones are added.
 */
export function promqlSelector(selector: Selector, external: readonly Label[]): Selector {
  if (external.length === 0) return selector;
  const groups = selector.groups.flatMap((group) => {
    let variants: LabelFilter[][] = [
      group.filter(({ label }) => !external.some(({ name }) => name === label)),
    ];
    for (const { name, value } of external) {
      const own = group.filter(({ label }) => label === name);
      if (own.length === 0) continue;
      const forms = variants.length < maxVariants ? formsOf(name, value, own) : [own];
      variants = variants.flatMap((before) => forms.map((form) => [...before, ...form]));
    }
    return variants;
  });
  return { ...selector, groups: groups.map(notEmpty) };
}

/** Each label may double them. Beyond it, fewer series are selected. */
const maxVariants = 64;

/**
 * The filters of one label as alternatives for series without the external label, which never select the same
 * series.
 */
function formsOf(
  label: string,
  added: string,
  filters: readonly LabelFilter[],
): readonly (readonly LabelFilter[])[] {
  const holds = (value: string) => filters.every((filter) => filterTest(filter)(value));
  if (!holds(added)) return [[present(label), ...filters]];
  return holds("") ? [filters] : [[present(label), ...filters], [{ label, op: "=", value: "" }]];
}

function present(label: string): LabelFilter {
  return { label, op: "!=", value: "" };
}

/** PromQL and remote read reject a selector without filters. */
function notEmpty(group: readonly LabelFilter[]): readonly LabelFilter[] {
  return group.length === 0 ? [present("__name__")] : group;
}
