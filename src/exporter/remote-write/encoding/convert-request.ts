import { withLegalExemplars } from "./exemplars-field.ts";
import { legalLabels } from "./label-names.ts";
import type { Protocol } from "./labels.ts";
import type { EncodedRequest } from "./request.ts";
import { type BodySeries, hasCustomBuckets, readBody, writeBody } from "./request-body.ts";

/** The same samples in another protocol, or with legal names. */
export interface Conversion {
  readonly request: EncodedRequest;
  /** Samples that it cannot carry. */
  readonly leftOut: number;
}

/**
 * Converts a request to another protocol, when its endpoint turns out to require that one. 1.0 cannot carry
 * histograms with custom buckets. Names stay as they are.
 */
export function convertRequest(request: EncodedRequest, protocol: Protocol): Conversion {
  if (request.protocol === protocol) return { request, leftOut: 0 };
  let leftOut = 0;
  const series = readBody(request).flatMap((one) => {
    if (protocol !== "1.0") return [one];
    const samples = one.samples.filter((sample) => !hasCustomBuckets(sample));
    leftOut += one.samples.length - samples.length;
    return samples.length === 0 ? [] : [{ ...one, samples }];
  });
  return { request: writeBody(protocol, series), leftOut };
}

/**
 * The request with legal names, as the encoder makes them for `names: legacy`: to find out whether a receiver
 * takes only such. Left out are series with two names that become equal, and those that become equal to
 * another series of the request.
 *
 * @returns undefined when all names of its series are legal already
 */
export function withLegalNames(request: EncodedRequest): Conversion | undefined {
  const all = readBody(request).map((one) => ({ one, labels: legalLabels(one.labels) }));
  if (all.every(({ one, labels }) => labels === one.labels)) return undefined;
  const plain = new Set<string>();
  const renamed = new Map<string, BodySeries>();
  for (const { one, labels } of all) {
    const key = JSON.stringify(labels);
    if (labels === one.labels) plain.add(key);
    else renamed.set(key, renamed.has(key) ? noSeries : one);
  }
  let leftOut = 0;
  const series = all.flatMap(({ one, labels }) => {
    const key = JSON.stringify(labels);
    const isTaken = labels !== one.labels && (plain.has(key) || renamed.get(key) !== one || hasTwice(labels));
    if (!isTaken) return [{ ...one, labels, exemplars: withLegalExemplars(one.exemplars) }];
    leftOut += one.samples.length;
    return [];
  });
  return { request: writeBody(request.protocol, series), leftOut };
}

const noSeries: BodySeries = { labels: [], samples: [], exemplars: [] };

function hasTwice(labels: BodySeries["labels"]): boolean {
  return new Set(labels.map(({ name }) => name)).size < labels.length;
}
