import { legalizeLabelName } from "../../series/label-name.ts";
import type { Label } from "../../series/series.ts";
import { compareNames, legalizeMetricName, metricNameLabel } from "./label-names.ts";
import type { Protocol } from "./labels.ts";
import type { EncodedRequest } from "./request.ts";
import { hasCustomBuckets, readBody, writeBody } from "./request-body.ts";

/** The same samples in another protocol. */
export interface Conversion {
  readonly request: EncodedRequest;
  /**
   * Samples that 1.0 cannot carry: of series with two label names that become equal when they are sanitized,
   * and histograms with custom buckets.
   */
  readonly leftOut: number;
}

/**
 * Converts a request to another protocol, when its endpoint turns out to require that one. For 1.0, names are
 * sanitized as by its label encoder.
 */
export function convertRequest(request: EncodedRequest, protocol: Protocol): Conversion {
  if (request.protocol === protocol) return { request, leftOut: 0 };
  let leftOut = 0;
  const series = readBody(request).flatMap((one) => {
    if (protocol !== "1.0") return [one];
    const labels = legalLabels(one.labels);
    const samples = labels === undefined ? [] : one.samples.filter((sample) => !hasCustomBuckets(sample));
    leftOut += one.samples.length - samples.length;
    return labels === undefined || samples.length === 0 ? [] : [{ ...one, labels, samples }];
  });
  return { request: writeBody(protocol, series), leftOut };
}

function legalLabels(labels: readonly Label[]): readonly Label[] | undefined {
  const legal = labels.map((label) => {
    const name = legalizeLabelName(label.name);
    return { name, value: name === metricNameLabel ? legalizeMetricName(label.value) : label.value };
  });
  if (new Set(legal.map(({ name }) => name)).size < legal.length) return undefined;
  return legal.sort((a, b) => compareNames(a.name, b.name));
}
