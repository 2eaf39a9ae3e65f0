import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, builderOf, encodedOf, requestOf } from "../../../../test/support/receiver/encoded.ts";
import { remoteWrite1, remoteWrite2 } from "../../../../test/support/receiver/protocol.ts";
import {
  anyHistograms,
  anyLayout,
  encodeHistogram,
  hints,
  histogramBuffer,
  plainHistogram,
  plainLayout,
} from "../../../../test/support/store/histograms.ts";
import { bufferOf, seriesOf } from "../../../../test/support/store/series.ts";
import type { SampleBuffer } from "../../series/series.ts";
import { convertRequest } from "./convert-request.ts";
import type { Protocol } from "./labels.ts";
import type { EncodedRequest } from "./request.ts";
import { describeSample, readBody, writeBody } from "./request-body.ts";

const protocols = ["1.0", "2.0"] as const;

function build(protocol: Protocol, buffers: readonly SampleBuffer[]): EncodedRequest {
  return requestOf(
    buffers.map((buffer, index) => [seriesOf(`h${index}`), buffer]),
    protocol,
  );
}

/** The histograms of each series of a body, encoded again by the reference. */
function histogramsIn(request: EncodedRequest): Buffer[][] {
  if (request.protocol === "1.0") {
    const { Histogram, WriteRequest } = remoteWrite1;
    const { timeseries } = WriteRequest.decode(bodyOf(request));
    return timeseries.map(({ histograms }) =>
      (histograms ?? []).map((one) => Buffer.from(Histogram.encode(one).finish())),
    );
  }
  const { Histogram, Request } = remoteWrite2;
  return Request.decode(bodyOf(request)).timeseries.map(({ histograms }) =>
    (histograms ?? []).map((one) => Buffer.from(Histogram.encode(one).finish())),
  );
}

/** Numbers that the reference keeps: no staleness markers, no integers above 2^53. */
const anySeries = anyLayout.chain((layout) =>
  anyHistograms(layout, "float", 8).map((list) => ({
    layout,
    list: list.filter(({ sumBits }) => sumBits !== 0x7ff0000000000002n),
  })),
);

describe.each(protocols)("a request of protocol %s", (protocol) => {
  test("has the histograms, byte for byte as the reference writes them", () => {
    fc.assert(
      fc.property(fc.array(anySeries, { minLength: 1, maxLength: 4 }), (all) => {
        const list = all.filter((one) => one.list.length > 0);
        const request = build(
          protocol,
          list.map((one) => histogramBuffer(one.layout, one.list)),
        );
        expect(histogramsIn(request)).toEqual(
          list.map((one) => one.list.map((each) => encodeHistogram(one.layout, each, hints.unknown))),
        );
        expect(request.sampleCount).toBe(list.reduce((sum, one) => sum + one.list.length, 0));
      }),
    );
  });

  test("is the same after it was read and written again, whatever it holds", () => {
    const any = anyLayout.chain((layout) =>
      fc.tuple(fc.constant(layout), anyHistograms(layout, "integer", 6), anyHistograms(layout, "float", 6)),
    );
    fc.assert(
      fc.property(any, ([layout, integers, floats]) => {
        const request = build(protocol, [
          histogramBuffer(layout, integers),
          bufferOf([[5, 2.5]]),
          histogramBuffer(layout, floats),
        ]);
        const again = writeBody(protocol, readBody(request));
        expect(bodyOf(again).equals(bodyOf(request))).toBe(true);
        expect({ ...again, payload: null }).toEqual({ ...request, payload: null });
      }),
    );
  });

  test("is converted to the other protocol, without custom buckets for 1.0", () => {
    const custom = { ...plainLayout, schema: -53, customValues: [1, 2] };
    const list = [plainHistogram(1), plainHistogram(2)];
    const other = protocol === "1.0" ? "2.0" : "1.0";
    const buffers = [histogramBuffer(plainLayout, list), histogramBuffer(custom, list)];
    const { request, leftOut } = convertRequest(build(protocol, buffers), other);
    expect(bodyOf(request)).toEqual(bodyOf(build(other, other === "1.0" ? buffers.slice(0, 1) : buffers)));
    expect(leftOut).toBe(other === "1.0" ? 2 : 0);
  });

  test("weighs as much as its bytes would hold numbers", () => {
    const builder = builderOf(protocol);
    const wide = { ...plainLayout, positiveSpans: [{ offset: 0, length: 160 }] };
    const histogram = { ...plainHistogram(1), positive: new Array<bigint>(160).fill(300n) };
    const buffer = histogramBuffer(wide, [histogram]);
    builder.append(encodedOf(seriesOf("h"), { protocol }), buffer, 0, 1);
    expect(builder.sampleCount).toBe(1);
    expect(builder.weight).toBe(Math.ceil(encodeHistogram(wide, histogram, 0).length / 18));
    builder.finish();
    expect(builder.weight).toBe(0);
  });
});

test("a histogram is described by its count, sum and schema", () => {
  const [series] = readBody(build("1.0", [histogramBuffer(plainLayout, [plainHistogram(1)])]));
  expect(series?.samples.map(describeSample)).toEqual(["histogram{count: 3, sum: 1.5, schema: 3}"]);
});
