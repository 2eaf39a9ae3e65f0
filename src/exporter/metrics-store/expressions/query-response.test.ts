import { describe, expect, test } from "vitest";
import { parseQueryResponse, pointValue } from "./query-response.ts";

function parse(value: unknown) {
  return parseQueryResponse(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)));
}

function success(resultType: string, result: unknown) {
  return { status: "success", data: { resultType, result } };
}

const one = { labels: { job: "a" }, isUtf8: true, hasHistograms: false };

describe("a response is read", () => {
  test("a matrix, its times to the millisecond, empty labels left out", () => {
    const values = [
      [1435781430.781, "1.5"],
      [1435781431.007, "+Inf"],
    ];
    expect(parse(success("matrix", [{ metric: { job: "a", empty: "" }, values }]))).toEqual({
      kind: "response",
      resultType: "matrix",
      series: [
        {
          ...one,
          points: [
            { timestampMs: 1435781430781, text: "1.5" },
            { timestampMs: 1435781431007, text: "+Inf" },
          ],
        },
      ],
    });
  });

  test("a vector", () => {
    expect(parse(success("vector", [{ metric: { job: "a" }, value: [1, "2"] }]))).toMatchObject({
      resultType: "vector",
      series: [{ ...one, points: [{ timestampMs: 1_000, text: "2" }] }],
    });
  });

  test.each(["scalar", "string"])("a %s", (resultType) => {
    expect(parse(success(resultType, [1.5, "2"]))).toMatchObject({
      resultType,
      series: [{ labels: {}, points: [{ timestampMs: 1_500, text: "2" }] }],
    });
  });

  test("native histograms are seen", () => {
    const series = { metric: { job: "a" }, histograms: [[1, { count: "1" }]] };
    expect(parse(success("matrix", [series]))).toMatchObject({
      series: [{ points: [], hasHistograms: true }],
    });
  });

  test("labels that are no UTF-8 are marked, those beside them are not", () => {
    const text = JSON.stringify(
      success("matrix", [
        { metric: { job: "BAD" }, values: [] },
        { metric: { job: "good" }, values: [] },
      ]),
    );
    const body = Buffer.from(text);
    body[body.indexOf("BAD") + 1] = 0xff;
    const response = parseQueryResponse(body);
    expect(response.kind === "response" && response.series.map(({ isUtf8 }) => isUtf8)).toEqual([
      false,
      true,
    ]);
  });
});

test.each([
  ["", "malformed_answer"],
  ["[]", "malformed_answer"],
  ["{", "malformed_answer"],
  [{ status: "error", error: "boom" }, "store_error"],
  [{ ...success("matrix", []), isPartial: true }, "partial_answer"],
  [success("matrix", {}), "malformed_answer"],
  [success("histogram", []), "malformed_answer"],
  [success("scalar", []), "malformed_answer"],
  [success("matrix", [{ values: [] }]), "malformed_answer"],
  [success("matrix", [{ metric: { a: 1 }, values: [] }]), "malformed_answer"],
  [success("matrix", [{ metric: {}, values: [[1]] }]), "malformed_answer"],
  [success("matrix", [{ metric: {}, values: [["1", "1"]] }]), "malformed_answer"],
  [success("matrix", [{ metric: {}, values: 1 }]), "malformed_answer"],
])("%j is a failure: %s", (body, reason) => {
  expect(parse(body)).toMatchObject({ kind: "failed", reason });
});

describe("of a response with warnings", () => {
  const bucket = 'PromQL warning: bucket label "le" is missing or has a malformed value of "" (1:1)';
  const zone = "query result may contain partial data";

  test.each([
    ["none", []],
    ["no list", "x"],
    ["about the expression", [bucket, "PromQL info: input to histogram_quantile has NaN observations"]],
    ["about the expression, too many to list", [bucket, "3 more warning annotations omitted"]],
    ["Thanos: no store has anything of that time", ["No StoreAPIs matched for this query"]],
  ])("all is read: %s", (_, warnings) => {
    expect(parse({ ...success("matrix", []), warnings })).toMatchObject({ kind: "response" });
  });

  test.each([
    ["Thanos: a store that is away", ["receive series from Addr: 10.0.0.1:10901: connection refused"]],
    ["Cortex: a zone that is away", [bucket, zone]],
    ["Prometheus: remote storage that is away", ["remote_read: remote server responded with 503"]],
    ["one that only resembles", ["my PromQL warning: x"]],
    ["no text", [{ message: zone }]],
  ])("nothing is: %s", (_, warnings) => {
    expect(parse({ ...success("matrix", []), warnings })).toMatchObject({ reason: "partial_answer" });
  });
});

test.each([
  ["1.5", 1.5],
  ["-1e+20", -1e20],
  ["NaN", Number.NaN],
  ["+Inf", Number.POSITIVE_INFINITY],
  ["Inf", Number.POSITIVE_INFINITY],
  ["-Inf", Number.NEGATIVE_INFINITY],
  ["", undefined],
  ["x", undefined],
])("the value %j", (text, value) => {
  expect(pointValue(text)).toEqual(value);
});
