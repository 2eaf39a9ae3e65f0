import { uncompressSync } from "snappy";
import { expect } from "vitest";
import {
  type LabelShape,
  type Protocol,
  seriesEncoderFor,
} from "../../../src/exporter/remote-write/encoding/labels.ts";
import type {
  CapacityListener,
  EncodedRequest,
  RequestBuilder,
} from "../../../src/exporter/remote-write/encoding/request.ts";
import { WriteRequestBuilder } from "../../../src/exporter/remote-write/encoding/write-request.ts";
import {
  type MetadataLookup,
  WriteRequestV2Builder,
} from "../../../src/exporter/remote-write/encoding/write-request-v2.ts";
import type { Exemplar } from "../../../src/exporter/series/exemplar.ts";
import type { EncodedSeries, SampleBuffer, Series } from "../../../src/exporter/series/series.ts";

/** A series with its samples and exemplars. */
export type SeriesPart = readonly [Series, SampleBuffer, exemplars?: readonly Exemplar[] | undefined];

/** Labels as they are. */
export const plainShape: LabelShape = { externalLabels: {}, dropLabels: [], protocol: "1.0" };
export const plainEncoder = seriesEncoderFor(plainShape);

/** The series as requests hold it. */
export function encodedOf(series: Series, shape: Partial<LabelShape> = {}): EncodedSeries {
  const form = seriesEncoderFor({ ...plainShape, ...shape }).encode(series);
  if (form.kind !== "series") throw new Error(form.message);
  return form;
}

export function builderOf(
  protocol: Protocol,
  onCapacity?: CapacityListener,
  metadataOf?: MetadataLookup,
): RequestBuilder {
  if (protocol === "1.0") return new WriteRequestBuilder(onCapacity);
  return new WriteRequestV2Builder(metadataOf, onCapacity);
}

/** A request of all of them. */
export function requestOf(
  parts: readonly SeriesPart[],
  protocol: Protocol = "1.0",
  builder = builderOf(protocol),
): EncodedRequest {
  for (const [series, samples, exemplars] of parts) {
    builder.append(encodedOf(series, { protocol }), samples, 0, samples.length, exemplars);
  }
  const { byteLength } = builder;
  const request = builder.finish();
  expect(request.uncompressedBytes).toBe(byteLength);
  return request;
}

/** A request's body, uncompressed. */
export function bodyOf({ payload }: Pick<EncodedRequest, "payload">): Buffer {
  return uncompressSync(payload, { asBuffer: true }) as Buffer;
}
