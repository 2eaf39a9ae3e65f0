import type { Destination } from "../../exporter/remote-write/destination.ts";
import { readBody } from "../../exporter/remote-write/encoding/request-body.ts";
import { type Label, SampleBuffer, Series } from "../../exporter/series/series.ts";
import { seriesText } from "./series-text.ts";

export interface Example {
  readonly series: string;
  /** Absent: it is not sent, for the stated reason. */
  readonly sent?: string;
  readonly problem?: string;
}

/**
 * A series' labels before and after what relabelling and the endpoint's settings change: as encoded, and
 * decoded again.
 */
export function relabelled(
  labels: readonly Label[],
  destination: Pick<Destination, "encoder" | "newBuilder">,
): Example {
  const series = seriesText(labels);
  const form = destination.encoder().encode(new Series(labels));
  if (form.kind === "dropped") return { series, problem: form.message };
  if (form.kind === "invalid") return { series, problem: `${form.reason}: ${form.message}` };
  const builder = destination.newBuilder();
  const samples = new SampleBuffer();
  samples.length = 1;
  builder.append(form, samples, 0, 1);
  const [sent] = readBody(builder.finish());
  return { series, sent: seriesText(sent?.labels ?? []) };
}
