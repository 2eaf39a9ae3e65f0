import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyOf, encodedOf, requestOf } from "../../../../test/support/receiver/encoded.ts";
import { remoteWrite2 } from "../../../../test/support/receiver/protocol.ts";
import { bufferOf, samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import { type Label, SampleBuffer, Series } from "../../series/series.ts";
import { convertRequest, withLegalNames } from "./convert-request.ts";
import { compareNames } from "./label-names.ts";
import type { Protocol } from "./labels.ts";
import type { EncodedRequest, RequestBuilder } from "./request.ts";
import { readBody } from "./request-body.ts";
import { WriteRequestBuilder } from "./write-request.ts";
import { type MetricMetadata, WriteRequestV2Builder } from "./write-request-v2.ts";

const { Request } = remoteWrite2;

interface TestSeries {
  readonly labels: Label[];
  readonly samples: { timestamp: number; value: number }[];
}

function labelsOf(labels: Record<string, string>): TestSeries["labels"] {
  return Object.entries(labels).map(([name, value]) => ({ name, value }));
}

function build(
  list: readonly TestSeries[],
  builder: RequestBuilder,
  protocol: Protocol = "2.0",
): EncodedRequest {
  const parts = list.map(
    (one) =>
      [
        new Series(one.labels),
        bufferOf(one.samples.map((sample) => [sample.timestamp, sample.value])),
      ] as const,
  );
  return requestOf(parts, protocol, builder);
}

/** The reference's body of the same series, with symbols in order of first use. */
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
const name = fc.oneof(fc.stringMatching(/^[a-z_]{1,20}$/), text);
const labels = fc
  .uniqueArray(fc.record({ name, value: text }), { selector: (one) => one.name, maxLength: 6 })
  .map((list) => [...list.filter((one) => one.name !== "__name__"), { name: "__name__", value: "up" }])
  .map((list) => list.sort((a, b) => compareNames(a.name, b.name)));
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
  const encoded = encodedOf(seriesOf("up"));
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

  test("names stay as they are", () => {
    const list = [
      {
        labels: labelsOf({ __name__: "a.b", ключ: "1" }),
        samples: [{ timestamp: 1_760_000_000_000, value: 1 }],
      },
    ];
    const { request, leftOut } = convertRequest(build(list, new WriteRequestV2Builder()), "1.0");
    expect(leftOut).toBe(0);
    expect(readBody(request).map((one) => one.labels)).toEqual(list.map(({ labels }) => labels));
  });

  test("the same protocol is the same request", () => {
    const request = build(fc.sample(requests, 1)[0]!, new WriteRequestV2Builder());
    expect(convertRequest(request, "2.0")).toEqual({ request, leftOut: 0 });
  });
});

describe.each(["1.0", "2.0"] as const)("a request of protocol %s with legal names", (protocol) => {
  const ofSeries = (...all: Record<string, string>[]) =>
    requestOf(
      all.map((labels) => [new Series(labelsOf(labels)), samplesAt(1_760_000_000_000)]),
      protocol,
    );
  test.each<[string, Record<string, string>[], Record<string, string>[], number]>([
    [
      "names",
      [{ __name__: "a.b", "x.y": "1.5" }, { __name__: "up" }],
      [{ __name__: "a_b", x_y: "1.5" }, { __name__: "up" }],
      0,
    ],
    [
      "two labels that become one",
      [{ __name__: "a.b" }, { __name__: "c", "x-y": "1", "x.y": "2" }],
      [{ __name__: "a_b" }],
      1,
    ],
    [
      "two series that become one",
      [{ __name__: "a.b" }, { __name__: "c" }, { __name__: "a-b" }],
      [{ __name__: "c" }],
      2,
    ],
    ["one that becomes another", [{ __name__: "a.b" }, { __name__: "a_b" }], [{ __name__: "a_b" }], 1],
  ])("%s", (_, given, expected, leftOut) => {
    const made = withLegalNames(ofSeries(...given));
    expect(made?.leftOut).toBe(leftOut);
    expect(made && readBody(made.request).map(({ labels }) => labels)).toEqual(expected.map(labelsOf));
    expect(made?.request).toMatchObject({ protocol, sampleCount: given.length - leftOut });
  });

  test("is none where all are legal", () => {
    expect(withLegalNames(ofSeries({ __name__: "up", job: "a.b" }))).toBeUndefined();
  });
});
