import { readBody } from "../../../exporter/remote-write/encoding/request-body.ts";
import type { Destination } from "../../../exporter/remote-write/endpoints.ts";
import { type Label, SampleBuffer, Series } from "../../../exporter/series/series.ts";
import type { Example } from "./plan-report.ts";

/** A series' labels before and after what the endpoint's settings change: as encoded, and decoded again. */
export function relabelled(labels: readonly Label[], destination: Destination): Example {
  const series = printedLabels(labels);
  const form = destination.encoder().encode(new Series(labels));
  if (form.kind === "invalid") return { series, problem: `${form.reason}: ${form.message}` };
  const builder = destination.newBuilder();
  const samples = new SampleBuffer();
  samples.length = 1;
  builder.append(form, samples, 0, 1);
  const [sent] = readBody(builder.finish());
  return { series, sent: printedLabels(sent?.labels ?? []) };
}

/** In the form of a selector, with the metric's name before the braces. */
function printedLabels(labels: readonly Label[]): string {
  const name = labels.find((label) => label.name === "__name__")?.value ?? "";
  const others = labels.filter((label) => label.name !== "__name__");
  return `${name}{${others.map((label) => `${label.name}=${JSON.stringify(label.value)}`).join(", ")}}`;
}
