import { describe, expect, test } from "vitest";
import type { Exemplar } from "../../series/exemplar.ts";
import { ExemplarDecoder, maxExemplars } from "./exemplar-decoder.ts";

const span = { fromMs: 1_000, toMs: 9_000 };
const labels = { trace_id: "abc" };
const valid = { labels, value: "6", timestamp: 5.479 };
const decoded = { labels: [{ name: "trace_id", value: "abc" }], value: 6, timestampMs: 5_479 };
const seriesLabels = { __name__: "up", job: "a" };
const own = Object.entries(seriesLabels).map(([name, value]) => ({ name, value }));

function decode(body: unknown) {
  const found: { labels: unknown; exemplars: readonly Exemplar[] }[] = [];
  const decoder = new ExemplarDecoder(span, (series, exemplars) => {
    found.push({ labels: series.labels, exemplars });
  });
  const wantsMore = decoder.take(Buffer.from(typeof body === "string" ? body : JSON.stringify(body)));
  return { found, wantsMore, isWhole: decoder.finish(), count: decoder.count, invalid: decoder.invalid };
}

function exemplarsOf(exemplars: readonly unknown[]) {
  return decode({ status: "success", data: [{ seriesLabels, exemplars }] });
}

test("a response has series with their exemplars, in time order", () => {
  const later = { ...valid, timestamp: 6 };
  const { found, isWhole, count } = exemplarsOf([later, valid]);
  expect(found).toEqual([{ labels: own, exemplars: [decoded, { ...decoded, timestampMs: 6_000 }] }]);
  expect({ isWhole, count }).toEqual({ isWhole: true, count: 2 });
});

test("the order of the fields is free", () => {
  const data = [{ exemplars: [valid], other: [[{}]], seriesLabels }];
  expect(decode({ data, status: "success" })).toMatchObject({
    found: [{ labels: own, exemplars: [decoded] }],
    isWhole: true,
  });
});

describe("an exemplar", () => {
  test.each<[string, unknown, Partial<Exemplar>]>([
    ["of NaN", { ...valid, value: "NaN" }, { value: Number.NaN }],
    ["of infinity", { ...valid, value: "+Inf" }, { value: Infinity }],
    ["at the end of the span", { ...valid, timestamp: 9 }, { timestampMs: 9_000 }],
    [
      "with unsorted labels and an empty one",
      { ...valid, labels: { b: "2", a: "1", c: "" } },
      {
        labels: [
          { name: "a", value: "1" },
          { name: "b", value: "2" },
        ],
      },
    ],
    [
      "with 128 characters",
      { ...valid, labels: { a: "😀".repeat(127) } },
      { labels: [{ name: "a", value: "😀".repeat(127) }] },
    ],
  ])("%s is taken", (_, exemplar, expected) => {
    expect(exemplarsOf([exemplar]).found[0]?.exemplars).toEqual([{ ...decoded, ...expected }]);
  });

  test.each<[string, unknown]>([
    ["no object", []],
    ["a text", "x"],
    ["without labels", { ...valid, labels: {} }],
    ["with labels that are empty", { ...valid, labels: { a: "" } }],
    ["with labels that are no object", { ...valid, labels: ["a"] }],
    ["with a label that is no text", { ...valid, labels: { a: 1 } }],
    ["with a label without a name", { ...valid, labels: { "": "a" } }],
    ["with 129 characters", { ...valid, labels: { a: "b".repeat(128) } }],
    ["with half a character", { ...valid, labels: { a: "\ud800" } }],
    ["with a number as value", { ...valid, value: 6 }],
    ["with a value that is no number", { ...valid, value: "six" }],
    ["with a text as time", { ...valid, timestamp: "5" }],
    ["with a time that is none", { ...valid, timestamp: 1e300 }],
  ])("%s is invalid, and costs no other", (_, exemplar) => {
    const { found, invalid, isWhole } = exemplarsOf([exemplar, valid]);
    expect(found[0]?.exemplars).toEqual([decoded]);
    expect(invalid).toBe(1);
    expect(isWhole).toBe(true);
  });

  test.each([
    ["at the start", 1],
    ["after the end", 9.001],
  ])("%s of the span is left out", (_, timestamp) => {
    expect(exemplarsOf([{ ...valid, timestamp }])).toMatchObject({ found: [], invalid: 0 });
  });
});

test("exemplars of a series without labels are invalid", () => {
  const data = [{ exemplars: [valid] }, { seriesLabels: 7, exemplars: [valid] }];
  expect(decode({ status: "success", data })).toMatchObject({ found: [], invalid: 2 });
});

test("a label named __proto__ is one like any other", () => {
  const body = '{"status":"success","data":[{"seriesLabels":{"__proto__":"a"},"exemplars":[]}]}';
  expect(decode(body)).toMatchObject({ found: [], isWhole: true });
});

test.each([
  ["an error", { status: "error", data: [] }],
  ["no status", { data: [] }],
  ["no JSON", "<html>"],
])("%s is no whole response", (_, body) => {
  expect(decode(body).isWhole).toBe(false);
});

test.each([
  ["exemplars", `{"data":[{"exemplars":[${"{},".repeat(50_000)}`],
  ["series", `{"data":[${"{},".repeat(50_000)}`],
])("a response of nothing but invalid %s is aborted", (_, body) => {
  expect(decode(body)).toMatchObject({ found: [], wantsMore: false, isWhole: false });
});

test("a response has a maximum of exemplars, of which those that came are used", () => {
  const many = exemplarsOf(new Array(maxExemplars + 5).fill(valid));
  expect(many.wantsMore).toBe(false);
  expect(many.found.flatMap(({ exemplars }) => exemplars)).toHaveLength(maxExemplars);
});
