import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, builderOf, requestOf } from "../../../../test/support/receiver/encoded.ts";
import { remoteWrite1, remoteWrite2 } from "../../../../test/support/receiver/protocol.ts";
import { histogramBuffer, plainHistogram, plainLayout } from "../../../../test/support/store/histograms.ts";
import { bufferOf, seriesOf } from "../../../../test/support/store/series.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import { convertRequest } from "./convert-request.ts";
import { withLegalExemplars } from "./exemplars-field.ts";
import type { Protocol } from "./labels.ts";
import type { EncodedRequest } from "./request.ts";
import { readBody, withoutExemplars, writeBody } from "./request-body.ts";
import type { MetadataLookup } from "./write-request-v2.ts";

const protocols = ["1.0", "2.0"] as const;

interface TestSeries {
  readonly samples: readonly { readonly timestamp: number; readonly value: number }[];
  /** In place of numbers. */
  readonly isHistogram?: boolean;
  readonly exemplars: readonly Exemplar[];
}

function build(protocol: Protocol, list: readonly TestSeries[], metadataOf?: MetadataLookup): EncodedRequest {
  const parts = list.map(({ samples, isHistogram, exemplars }, index) => {
    const buffer = isHistogram
      ? histogramBuffer(plainLayout, [1, 2].map(plainHistogram))
      : bufferOf(samples.map(({ timestamp, value }) => [timestamp, value]));
    return [seriesOf(`m${index}`), buffer, exemplars] as const;
  });
  return requestOf(parts, protocol, builderOf(protocol, undefined, metadataOf));
}

/** What the reference makes of the series of one protocol, from the same data. */
function generated(protocol: Protocol, list: readonly TestSeries[]): Uint8Array {
  if (protocol === "1.0") {
    const timeseries = list.map(({ samples, exemplars }, index) => ({
      labels: [{ name: "__name__", value: `m${index}` }],
      samples: [...samples],
      exemplars: exemplars.map(({ labels, value, timestampMs }) => ({
        labels: [...labels],
        value,
        timestamp: timestampMs,
      })),
    }));
    return remoteWrite1.WriteRequest.encode({ timeseries }).finish();
  }
  const symbols = [""];
  const refOf = (text: string) => {
    if (!symbols.includes(text)) symbols.push(text);
    return symbols.indexOf(text);
  };
  const timeseries = list.map(({ samples, exemplars }, index) => ({
    labelsRefs: [refOf("__name__"), refOf(`m${index}`)],
    samples: [...samples],
    exemplars: exemplars.map(({ labels, value, timestampMs }) => ({
      labelsRefs: labels.flatMap(({ name, value: text }) => [refOf(name), refOf(text)]),
      value,
      timestamp: timestampMs,
    })),
  }));
  return remoteWrite2.Request.encode({ symbols, timeseries }).finish();
}

const value = fc.oneof(fc.double(), fc.constantFrom(0, -0, 1, Infinity, -Infinity));
const timestamp = fc.oneof(fc.integer({ min: 2 ** 40, max: 2 ** 41 }), fc.maxSafeInteger(), fc.constant(0));
const label = fc.record({
  name: fc.stringMatching(/^[a-z_]{1,12}$/),
  value: fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
});
const exemplar = fc.record({
  labels: fc
    .uniqueArray(label, { selector: ({ name }) => name, maxLength: 6 })
    .map((list) => list.sort((a, b) => (a.name < b.name ? -1 : 1))),
  value,
  timestampMs: timestamp,
});
const exemplars = fc.array(exemplar, { maxLength: 20 });
const samples = fc
  .array(fc.record({ timestamp, value: fc.double({ noNaN: true }) }), { minLength: 1, maxLength: 6 })
  .map((list) => list.sort((a, b) => a.timestamp - b.timestamp));
const anyRequest = fc.array(fc.record({ samples, exemplars }), { minLength: 1, maxLength: 6 });

const trace = { labels: [{ name: "trace_id", value: "abc" }], value: 0.25, timestampMs: 1_700_000_000_123 };
const later = { ...trace, timestampMs: trace.timestampMs + 1 };
const three = [1, 2, 3].map((timestampMs) => ({ timestamp: timestampMs, value: timestampMs }));

describe.each(protocols)("a request of protocol %s", (protocol) => {
  test("has the exemplars, byte for byte as the reference writes them", () => {
    fc.assert(
      fc.property(anyRequest, (list) => {
        expect(bodyOf(build(protocol, list)).equals(generated(protocol, list))).toBe(true);
      }),
    );
  });

  test("is the same after it was read and written again, beside histograms too", () => {
    fc.assert(
      fc.property(anyRequest, exemplars, (list, beside) => {
        const request = build(protocol, [...list, { samples: [], isHistogram: true, exemplars: beside }]);
        const again = writeBody(protocol, readBody(request));
        expect(bodyOf(again).equals(bodyOf(request))).toBe(true);
        expect({ ...again, payload: null }).toEqual({ ...request, payload: null });
      }),
    );
  });

  test("is decoded by the reference beside histograms and metadata", () => {
    const list = [{ samples: [], isHistogram: true, exemplars: [trace, later] }];
    const body = bodyOf(build(protocol, list, () => ({ type: "histogram", help: "h", unit: "s" })));
    const decoded =
      protocol === "1.0" ? remoteWrite1.WriteRequest.decode(body) : remoteWrite2.Request.decode(body);
    const [only] = decoded.timeseries;
    expect(only?.histograms).toHaveLength(2);
    expect(only?.exemplars?.map((one) => Number(one.timestamp))).toEqual([
      trace.timestampMs,
      later.timestampMs,
    ]);
  });

  test("keeps them when it is converted to the other protocol", () => {
    fc.assert(
      fc.property(anyRequest, (list) => {
        const other = protocol === "1.0" ? "2.0" : "1.0";
        const { request, leftOut } = convertRequest(build(protocol, list), other);
        expect(bodyOf(request).equals(bodyOf(build(other, list)))).toBe(true);
        expect(leftOut).toBe(0);
      }),
    );
  });

  test("can lose its exemplars, and nothing else", () => {
    const bare = build(protocol, [{ samples: three, exemplars: [] }]);
    const request = build(protocol, [{ samples: three, exemplars: [trace] }]);
    expect([request, bare].map(({ hasExemplars }) => hasExemplars)).toEqual([true, undefined]);
    expect(bodyOf(withoutExemplars(request))).toEqual(bodyOf(bare));
  });

  test("counts their bytes, and no samples for them", () => {
    const bare = build(protocol, [{ samples: three, exemplars: [] }]);
    const request = build(protocol, [{ samples: three, exemplars: [trace] }]);
    expect(request.sampleCount).toBe(3);
    expect(request.uncompressedBytes).toBeGreaterThan(bare.uncompressedBytes + 20);
  });
});

test("legal names: no exemplar with two names that become equal", () => {
  const dotted = { ...trace, labels: [{ name: "trace.id", value: "a" }] };
  const twice = { ...trace, labels: ["trace.id", "trace_id"].map((name) => ({ name, value: "a" })) };
  expect(withLegalExemplars([dotted, twice])).toEqual([
    { ...trace, labels: [{ name: "trace_id", value: "a" }] },
  ]);
  const [series] = readBody(build("1.0", [{ samples: three, exemplars: [dotted] }]));
  expect(series?.exemplars).toEqual([dotted]);
});
