import { isObject } from "../../../base/documents/document-path.ts";
import { parseYaml } from "../../../base/documents/yaml-source.ts";
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

/** The selector without filters that the external labels fulfil, as remote read treats it. */
export function withoutExternalFilters(selector: Selector, external: readonly Label[]): Selector {
  if (external.length === 0) return selector;
  const isFulfilled = ({ label, op, value }: LabelFilter) =>
    op === "=" && external.some((one) => one.name === label && one.value === value);
  const groups = selector.groups.map((group) => {
    const left = group.filter((filter) => !isFulfilled(filter));
    // PromQL rejects a selector without filters.
    return left.length === 0 ? [anyName] : left;
  });
  return { ...selector, groups };
}

const anyName: LabelFilter = { label: "__name__", op: "!=", value: "" };
