import type { Protocol } from "./labels.ts";
import type { EncodedRequest } from "./request.ts";
import { type BodySeries, readBody, writeBody } from "./request-body.ts";

export interface RequestPart {
  readonly request: EncodedRequest;
  /**
   * Position of its first series in the request that was split; 0 in both halves of a series split by time.
   */
  readonly firstSeries: number;
}

/**
 * Splits a request in two: by series if it has several (in the order in which they were appended), otherwise
 * in the middle of its only series' samples; its exemplars go with the first half. Both halves are complete
 * requests of the same protocol.
 *
 * @returns undefined for a single sample
 */
export function splitRequest(request: EncodedRequest): [RequestPart, RequestPart] | undefined {
  if (request.sampleCount < 2) return undefined;
  const series = readBody(request);
  if (series.length > 1) {
    const middle = series.length >>> 1;
    return halves(request.protocol, series.slice(0, middle), series.slice(middle), middle);
  }
  const only = series[0];
  if (only === undefined) return undefined;
  const { samples } = only;
  const middle = samples.length >>> 1;
  return halves(
    request.protocol,
    [{ ...only, samples: samples.slice(0, middle) }],
    [{ ...only, samples: samples.slice(middle), exemplars: [] }],
    0,
  );
}

function halves(
  protocol: Protocol,
  first: readonly BodySeries[],
  second: readonly BodySeries[],
  firstSeries: number,
): [RequestPart, RequestPart] {
  const earlier = writeBody(protocol, first);
  return [
    { request: earlier, firstSeries: 0 },
    { request: writeBody(protocol, second), firstSeries },
  ];
}
