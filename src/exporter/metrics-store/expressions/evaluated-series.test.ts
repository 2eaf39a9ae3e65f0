import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SampleBuffer } from "../../series/series.ts";
import { mergeResults, nameSeries, samplesOnGrid } from "./evaluated-series.ts";
import { type Grid, gridOf } from "./grid.ts";
import type { QueryPoint } from "./query-response.ts";

function series(labels: Record<string, string>) {
  return { labels, isUtf8: true, points: [], hasHistograms: false };
}

describe("names", () => {
  test("a series without one gets the source's", () => {
    const { named, collided } = nameSeries(
      [series({ job: "a" }), series({ __name__: "m", job: "a" })],
      "rps",
    );
    expect(named.map(({ labels }) => labels)).toEqual([
      { __name__: "rps", job: "a" },
      { __name__: "m", job: "a" },
    ]);
    expect(collided).toEqual([]);
  });

  test("where series are equal then, none of their points at the same time is kept", () => {
    const unnamed = { ...series({ b: "1", a: "2" }), points: at([0, "1"], [10, "1"], [30, "1"]) };
    const other = { ...series({ __name__: "rps", a: "2", b: "1" }), points: at([10, "2"], [20, "2"]) };
    const { named, collided } = nameSeries([other, unnamed, series({ a: "2" })], "rps");
    expect(named).toMatchObject([
      { labels: { __name__: "rps", a: "2", b: "1" }, points: at([0, "1"], [20, "2"], [30, "1"]) },
      { labels: { __name__: "rps", a: "2" } },
    ]);
    expect(collided).toEqual([[other, unnamed]]);
  });

  test("series that are equal then, but never at the same time, are one", () => {
    const unnamed = { ...series({}), points: at([0, "1"]) };
    const other = { ...series({ __name__: "rps" }), points: at([10, "2"]) };
    const { named, collided } = nameSeries([other, unnamed], "rps");
    expect(named).toMatchObject([{ points: at([0, "1"], [10, "2"]) }]);
    expect(collided).toEqual([]);
  });
});

test("results of times that follow one another are one", () => {
  const first = [{ ...series({ b: "1", a: "2" }), points: at([0, "1"]) }];
  const second = [
    { ...series({ c: "3" }), points: at([10, "3"]) },
    { ...series({ a: "2", b: "1" }), points: at([10, "2"]), isUtf8: false, hasHistograms: true },
  ];
  expect(mergeResults([first, second])).toEqual([
    { labels: { b: "1", a: "2" }, points: at([0, "1"], [10, "2"]), isUtf8: false, hasHistograms: true },
    second[0],
  ]);
  expect(mergeResults([first])).toBe(first);
  expect(mergeResults([])).toEqual([]);
});

/** Times and values; S means a staleness marker. */
function sampled(points: readonly QueryPoint[], grid: Grid): string[] | undefined {
  const samples = samplesOnGrid(points, grid, new SampleBuffer());
  if (samples === undefined) return undefined;
  return Array.from({ length: samples.length }, (_, index) => {
    const bits = samples.valueBytes.readBigUInt64LE(index * 8);
    const value =
      bits === 0x7ff0000000000002n
        ? "S"
        : bits === 0x7ff8000000000001n
          ? "NaN"
          : String(samples.values[index]);
    return `${samples.timestampsMs[index]}=${value}`;
  });
}

function at(...points: readonly (readonly [number, string])[]): QueryPoint[] {
  return points.map(([timestampMs, text]) => ({ timestampMs, text }));
}

const grid = { firstMs: 10, lastMs: 40, stepMs: 10 };

describe("the samples of a series on the grid 10, 20, 30, 40", () => {
  test.each([
    [
      "there throughout",
      at([0, "1"], [10, "2"], [20, "3"], [30, "4"], [40, "5"]),
      ["10=2", "20=3", "30=4", "40=5"],
    ],
    ["not there before", at([30, "4"]), ["30=4", "40=S"]],
    ["gone since the point before", at([0, "1"]), ["10=S"]],
    ["gone and back", at([0, "1"], [20, "3"], [40, "5"]), ["10=S", "20=3", "30=S", "40=5"]],
    ["never there", [], []],
    [
      "infinite, and no number",
      at([10, "+Inf"], [20, "-Inf"], [30, "NaN"]),
      ["10=Infinity", "20=-Infinity", "30=NaN", "40=S"],
    ],
  ])("%s", (_, points, expected) => {
    expect(sampled(points, grid)).toEqual(expected);
  });

  test.each([
    ["between the grid's points", at([10, "1"], [15, "1"])],
    ["after the last", at([50, "1"])],
    ["before the one before the first", at([-10, "1"])],
    ["not in order", at([20, "1"], [10, "1"])],
    ["twice", at([10, "1"], [10, "1"])],
    ["no value", at([10, "one"])],
  ])("a point %s makes the response unfit", (_, points) => {
    expect(sampled(points, grid)).toBeUndefined();
  });

  test("any cut into windows gives the samples and markers of the whole, each once", () => {
    const presence = fc.array(fc.boolean(), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(presence, fc.array(fc.nat({ max: 300 }), { maxLength: 6 }), (there, cuts) => {
        const points = at(
          ...there.flatMap((is, index) => (is ? [[index * 10, String(index)] as const] : [])),
        );
        const evaluate = (fromMs: number, toMs: number): string[] => {
          const piece = gridOf({ fromMs, toMs }, 10);
          if (piece === undefined) return [];
          const seen = points.filter(
            ({ timestampMs }) => timestampMs >= piece.firstMs - 10 && timestampMs <= piece.lastMs,
          );
          return sampled(seen, piece) ?? ["unfit"];
        };
        const endMs = (there.length - 1) * 10;
        const bounds = [0, ...cuts.map((cut) => Math.min(cut, endMs)).sort((a, b) => a - b), endMs];
        const inParts = bounds.slice(1).flatMap((toMs, index) => evaluate(bounds[index]!, toMs));
        expect(inParts).toEqual(evaluate(0, endMs));
      }),
    );
  });
});
