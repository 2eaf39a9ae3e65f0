import type { Label } from "../../exporter/series/series.ts";

/** A series in the form of a selector, with the metric's name before the braces: `up{job="node"}`. */
export function seriesText(labels: readonly Label[]): string {
  const name = labels.find((label) => label.name === "__name__")?.value ?? "";
  const others = labels.filter((label) => label.name !== "__name__");
  return `${name}{${others.map((label) => `${label.name}=${JSON.stringify(label.value)}`).join(", ")}}`;
}
