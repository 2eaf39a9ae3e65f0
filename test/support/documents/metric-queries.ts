import { readFileSync } from "node:fs";
import { promqlOnly } from "../../../src/exporter/metricsql/analysis/promql.ts";
import type { Selector } from "../../../src/exporter/metricsql/ast/ast.ts";
import { walk } from "../../../src/exporter/metricsql/ast/visit.ts";
import { parse } from "../../../src/exporter/metricsql/parse/parser.ts";

/** The metrics of docs/metrics.md with their labels; another test compares that document with the program. */
function documentedMetrics(): Map<string, ReadonlySet<string>> {
  const document = readFileSync(new URL("../../../docs/metrics.md", import.meta.url), "utf8");
  const metrics = new Map<string, ReadonlySet<string>>();
  for (const [, name = "", type, labels = ""] of document.matchAll(
    /^\| `([a-z0-9_]+)` \| ([a-z]+) \| ([^|]*) \|/gm,
  )) {
    const own = [...labels.matchAll(/`([a-z_]+)`/g)].map(([, label]) => label ?? "");
    const known = new Set([...own, ...scrapeLabels]);
    if (type !== "histogram") metrics.set(name, known);
    else {
      for (const suffix of ["_sum", "_count"]) metrics.set(name + suffix, known);
      metrics.set(`${name}_bucket`, new Set([...known, "le"]));
    }
  }
  return metrics;
}

/** Labels that a scrape adds to every series. */
const scrapeLabels = ["job", "instance"];
/** Metrics of every scraped target. */
const scrapeMetrics = new Map([["up", new Set(scrapeLabels)]]);
const metrics = new Map<string, ReadonlySet<string>>([...documentedMetrics(), ...scrapeMetrics]);

/**
 * Faults of an alert's or dashboard's query: it cannot be parsed, is not valid for plain Prometheus, or uses
 * a metric or label that the program does not expose.
 */
export function queryFaults(text: string): string[] {
  // Grafana substitutes a duration before the query.
  const expr = parse(text.replaceAll(/\$__(rate_interval|interval|range)\b/g, "5m"));
  const faults = [...promqlOnly(expr, 2), ...promqlOnly(expr, 3)].map(
    (finding) => `only VictoriaMetrics takes it: ${JSON.stringify(finding)}`,
  );
  const known = new Set<string>(["le"]);
  walk(expr, (node) => {
    if (node.type === "selector") faults.push(...selectorFaults(node, known));
  });
  walk(expr, (node) => {
    const labels = node.type === "aggregate" ? node.grouping?.labels : undefined;
    const matching =
      node.type === "binary" ? [...(node.matching?.labels ?? []), ...(node.join?.labels ?? [])] : [];
    for (const label of [...(labels ?? []), ...matching]) {
      if (!known.has(label)) faults.push(`no metric in it has the label ${label}`);
    }
  });
  return faults;
}

function selectorFaults({ groups }: Selector, known: Set<string>): string[] {
  return groups.flatMap((filters) => {
    const name = filters.find(({ label, op }) => label === "__name__" && op === "=")?.value ?? "(no name)";
    const labels = metrics.get(name);
    if (labels === undefined) return [`nothing exposes ${name}`];
    for (const label of labels) known.add(label);
    return filters
      .filter(({ label }) => label !== "__name__" && !labels.has(label))
      .map(({ label }) => `${name} has no label ${label}`);
  });
}
