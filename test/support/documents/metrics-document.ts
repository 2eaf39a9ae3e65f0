import { Counter, Gauge, Histogram, type Registry } from "prom-client";

export interface DocumentedMetric {
  readonly name: string;
  readonly help: string;
  readonly kind: string;
  readonly labelNames: readonly string[];
}

/**
 * Compares docs/metrics.md with the exposed metrics in both directions. Nothing is collected: the registry of
 * an idle component suffices.
 *
 * @param registries all registries that the ops address merges
 * @param others metrics exposed without a registry
 * @returns required changes of the document, one line each; empty when they agree
 */
export function metricsDocumentFaults(
  document: string,
  registries: readonly Registry[],
  others: readonly DocumentedMetric[] = [],
): string[] {
  const documented = new Map(
    [...document.matchAll(/^\| `([a-z0-9_]+)` \|.*$/gm)].map(([line, name]) => [name, line]),
  );
  const metrics = registries.flatMap((registry) => registry.getMetricsAsArray()).map(registered);
  const exposed = new Map([...metrics, ...others].map((metric) => [metric.name, tableLine(metric)]));
  const missing = [...exposed]
    .filter(([name, line]) => documented.get(name) !== line)
    .map(([, line]) => `docs/metrics.md must have: ${line}`);
  const unknown = [...documented.keys()]
    .filter((name) => !exposed.has(name ?? ""))
    .map((name) => `docs/metrics.md has ${name}, which nothing exposes`);
  return [...missing, ...unknown];
}

function registered(metric: { name: string; help: string }): DocumentedMetric {
  // prom-client's types omit the label names.
  const { labelNames } = metric as unknown as { labelNames: readonly string[] };
  return { name: metric.name, help: metric.help, kind: typeOf(metric), labelNames };
}

function tableLine({ name, help, kind, labelNames }: DocumentedMetric): string {
  const labels = labelNames.map((label) => `\`${label}\``).join(", ");
  return `| \`${name}\` | ${kind} | ${labels} | ${help.replaceAll("|", "\\|")} |`;
}

function typeOf(metric: unknown): string {
  if (metric instanceof Counter) return "counter";
  if (metric instanceof Gauge) return "gauge";
  return metric instanceof Histogram ? "histogram" : "summary";
}
