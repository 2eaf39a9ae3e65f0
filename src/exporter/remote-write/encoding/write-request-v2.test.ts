import fc from "fast-check";
import { uncompressSync } from "snappy";
import { describe, expect, test } from "vitest";
import type { EncodedSeries } from "../../series/series.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import { convertRequest } from "./convert-request.ts";
import { prometheus } from "./gen/remote-write-1.0.js";
import { io } from "./gen/remote-write-2.0.js";
import { type Protocol, seriesEncoderFor } from "./labels.ts";
import type { EncodedRequest, RequestBuilder } from "./request.ts";
import { readBody } from "./request-body.ts";
import { splitRequest } from "./split-request.ts";
import { WriteRequestBuilder } from "./write-request.ts";
import { type MetricMetadata, WriteRequestV2Builder } from "./write-request-v2.ts";

const { Request } = io.prometheus.write.v2;

interface TestSeries {
  readonly labels: { name: string; value: string }[];
  readonly samples: { timestamp: number; value: number }[];
}

function encodedOf(labels: TestSeries["labels"], protocol: Protocol): EncodedSeries {
  const encoder = seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol });
  const form = encoder.encode(new Series(labels));
  if (form.kind === "invalid") throw new Error(form.message);
  return form;
}

function build(
  list: readonly TestSeries[],
  builder: RequestBuilder,
  protocol: Protocol = "2.0",
): EncodedRequest {
  for (const { labels, samples } of list) {
    const buffer = new SampleBuffer();
    buffer.reserve(samples.length);
    for (const [index, { timestamp, value }] of samples.entries()) {
      buffer.timestampsMs[index] = timestamp;
      buffer.values[index] = value;
    }
    builder.append(encodedOf(labels, protocol), buffer, 0, samples.length);
  }
  const { byteLength } = builder;
  const request = builder.finish();
  expect(request.uncompressedBytes).toBe(byteLength);
  return request;
}

function bodyOf(request: EncodedRequest): Buffer {
  return uncompressSync(request.payload, { asBuffer: true }) as Buffer;
}

/** The generated encoder's body of the same series, with symbols in order of first use. */
function reference(
  list: readonly TestSeries[],
  metadataOf?: (name: string) => MetricMetadata | undefined,
): Uint8Array {
  const symbols = [""];
  const ref = (text: string) => {
    const known = symbols.indexOf(text);
    return known < 0 ? symbols.push(text) - 1 : known;
  };
  const timeseries = list.map(({ labels, samples }) => {
    const labelsRefs = labels.flatMap(({ name, value }) => [ref(name), ref(value)]);
    const known = metadataOf?.("up");
    const metadata = known && { type: 2, helpRef: ref(known.help), unitRef: ref(known.unit) };
    return { labelsRefs, samples, ...(metadata && { metadata }) };
  });
  return Request.encode({ symbols, timeseries }).finish();
}

const sample = fc.record({
  timestamp: fc.integer({ min: 2 ** 35, max: 2 ** 41 }),
  value: fc.double({ noNaN: true }),
});
const samples = fc
  .array(sample, { minLength: 1, maxLength: 20 })
  .map((list) => list.sort((a, b) => a.timestamp - b.timestamp));
const text = fc.oneof(fc.constantFrom("a", "b", "job", "ünï"), fc.string({ unit: "grapheme", minLength: 1 }));
const name = fc.stringMatching(/^[a-z_]{1,20}$/);
const labels = fc
  .uniqueArray(fc.record({ name, value: text }), { selector: (one) => one.name, maxLength: 6 })
  .map((list) => [...list.filter((one) => one.name !== "__name__"), { name: "__name__", value: "up" }])
  .map((list) => list.sort((a, b) => (a.name < b.name ? -1 : 1)));
const requests = fc.array(fc.record({ labels, samples }), { minLength: 1, maxLength: 12 });

test("the body is, byte for byte, what the generated encoder writes", () => {
  const builder = new WriteRequestV2Builder();
  const other = new WriteRequestV2Builder();
  fc.assert(
    fc.property(requests, (list) => {
      // A concurrent builder that uses the same texts must not lend its references.
      build(list.slice(0, 1), other);
      expect(bodyOf(build(list, builder)).equals(reference(list))).toBe(true);
    }),
  );
});

test("each symbol is there once, the empty one first, however many series share it", () => {
  const series = (value: string) => ({
    labels: [
      { name: "__name__", value: "up" },
      { name: "job", value },
      { name: "up", value: "job" },
    ],
    samples: [{ timestamp: 1_760_000_000_000, value: 1 }],
  });
  const builder = new WriteRequestV2Builder();
  for (let round = 0; round < 2; round++) {
    const request = build([series("a"), series("b"), series("a")], builder);
    const { symbols, timeseries } = Request.decode(bodyOf(request));
    expect(symbols).toEqual(["", "__name__", "up", "job", "a", "b"]);
    expect(timeseries.map((one) => one.labelsRefs)).toEqual([
      [1, 2, 3, 4, 2, 3],
      [1, 2, 3, 5, 2, 3],
      [1, 2, 3, 4, 2, 3],
    ]);
  }
});

test("metadata goes with each series that has some", () => {
  const metadataOf = () => ({ type: "gauge", help: "Whether it is up.", unit: "" }) as const;
  fc.assert(
    fc.property(requests, (list) => {
      const request = build(list, new WriteRequestV2Builder(metadataOf));
      expect(bodyOf(request).equals(reference(list, metadataOf))).toBe(true);
    }),
    { numRuns: 30 },
  );
  const nothing = { type: "unknown", help: "", unit: "" } as const;
  const list = fc.sample(requests, 1)[0]!;
  const empty = build(list, new WriteRequestV2Builder(() => nothing));
  expect(bodyOf(empty).equals(reference(list))).toBe(true);
});

test("a series that was encoded for 1.0 is a fault of the program", () => {
  const builder = new WriteRequestV2Builder();
  const encoded = encodedOf([{ name: "__name__", value: "up" }], "1.0");
  expect(() => builder.append(encoded, new SampleBuffer(), 0, 1)).toThrow(TypeError);
});

describe("from one protocol to the other", () => {
  test("all samples, and what 1.0 would have sent in the first place", () => {
    fc.assert(
      fc.property(requests, (list) => {
        const first = build(list, new WriteRequestBuilder(), "1.0");
        const second = build(list, new WriteRequestV2Builder());
        const { request, leftOut } = convertRequest(second, "1.0");
        expect(leftOut).toBe(0);
        expect(bodyOf(request).equals(bodyOf(first))).toBe(true);
        expect(request).toEqual({ ...first, payload: request.payload });
        const back = convertRequest(first, "2.0").request;
        expect(readBody(back)).toEqual(readBody(second));
      }),
      { numRuns: 50 },
    );
  });

  test("names are made legal, and what cannot be is left out and counted", () => {
    const at = [{ timestamp: 1_760_000_000_000, value: 1 }];
    const list = [
      {
        labels: [
          { name: "__name__", value: "a.b" },
          { name: "x.y", value: "1" },
        ],
        samples: at,
      },
      {
        labels: [
          { name: "__name__", value: "c" },
          { name: "x-y", value: "1" },
          { name: "x.y", value: "2" },
        ],
        samples: at,
      },
    ];
    const { request, leftOut } = convertRequest(build(list, new WriteRequestV2Builder()), "1.0");
    expect(leftOut).toBe(1);
    expect(readBody(request).map((one) => one.labels)).toEqual([
      [
        { name: "__name__", value: "a_b" },
        { name: "x_y", value: "1" },
      ],
    ]);
    expect(prometheus.WriteRequest.decode(bodyOf(request)).timeseries).toHaveLength(1);
  });

  test("the same protocol is the same request", () => {
    const request = build(fc.sample(requests, 1)[0]!, new WriteRequestV2Builder());
    expect(convertRequest(request, "2.0")).toEqual({ request, leftOut: 0 });
  });
});

test("halves of a 2.0 request hold everything once, with symbols of their own", () => {
  fc.assert(
    fc.property(requests, (list) => {
      const whole = build(list, new WriteRequestV2Builder());
      const parts = splitRequest(whole);
      if (parts === undefined) return;
      const together = parts.flatMap((part) => readBody(part.request));
      const samplesOf = (series: typeof together) => series.flatMap((one) => one.samples);
      expect(samplesOf(together)).toEqual(samplesOf(readBody(whole)));
      for (const { request } of parts) {
        const used = new Set(
          readBody(request).flatMap((one) => one.labels.flatMap((l) => [l.name, l.value])),
        );
        expect(new Set(Request.decode(bodyOf(request)).symbols)).toEqual(new Set(["", ...used]));
      }
    }),
    { numRuns: 50 },
  );
});
