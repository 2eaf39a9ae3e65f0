import type { EncodedRequest } from "./request.ts";
import { readBody, writeBody } from "./request-body.ts";

/** A part of a request. */
export interface RequestPart {
  readonly request: EncodedRequest;
  /** Position of its first series in the request that was split; 0 in both halves where one series was cut in time. */
  readonly firstSeries: number;
}

/**
 * Cuts a request in two: by series while it has several (in the order in which they were appended), else in the middle
 * of its one series' samples. Both halves are complete requests of the same protocol.
 *
 * @returns undefined for a single sample
 */
export function splitRequest(request: EncodedRequest): [RequestPart, RequestPart] | undefined {
  if (request.sampleCount < 2) return undefined;
  const { protocol } = request;
  const series = readBody(request);
  if (series.length > 1) {
    const middle = series.length >>> 1;
    return [
      { request: writeBody(protocol, series.slice(0, middle)), firstSeries: 0 },
      { request: writeBody(protocol, series.slice(middle)), firstSeries: middle },
    ];
  }
  const only = series[0];
  if (only === undefined) return undefined;
  const middle = only.samples.length >>> 1;
  const half = (samples: typeof only.samples): RequestPart => ({
    request: writeBody(protocol, [{ labels: only.labels, samples }]),
    firstSeries: 0,
  });
  return [half(only.samples.slice(0, middle)), half(only.samples.slice(middle))];
}
