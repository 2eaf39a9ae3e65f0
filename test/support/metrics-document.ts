import { Counter, Gauge, Histogram, type Registry } from "prom-client";

/**
 * Holds docs/metrics.md to what the program exposes, both ways. Nothing is collected: a registry of a component that
 * does not run will do.
 *
 * @param registries all that the ops address merges
 * @returns what has to change in the document, one line each; empty when they agree
 */
export function metricsDocumentFaults(document: string, registries: readonly Registry[]): string[] {
  const documented = new Map(
    [...document.matchAll(/^\| `([a-z0-9_]+)` \|.*$/gm)].map(([line, name]) => [name, line]),
  );
  const exposed = new Map(
    registries
      .flatMap((registry) => registry.getMetricsAsArray())
      .map((metric) => [metric.name, tableLine(metric)] as const),
  );
  const missing = [...exposed]
    .filter(([name, line]) => documented.get(name) !== line)
    .map(([, line]) => `docs/metrics.md must have: ${line}`);
  const unknown = [...documented.keys()]
    .filter((name) => !exposed.has(name ?? ""))
    .map((name) => `docs/metrics.md has ${name}, which nothing exposes`);
  return [...missing, ...unknown];
}

function tableLine(metric: { name: string; help: string }): string {
  // prom-client's types leave out the label names.
  const { labelNames } = metric as unknown as { labelNames: readonly string[] };
  const labels = labelNames.map((name) => `\`${name}\``).join(", ");
  return `| \`${metric.name}\` | ${typeOf(metric)} | ${labels} | ${metric.help.replaceAll("|", "\\|")} |`;
}

function typeOf(metric: unknown): string {
  if (metric instanceof Counter) return "counter";
  if (metric instanceof Gauge) return "gauge";
  return metric instanceof Histogram ? "histogram" : "summary";
}
