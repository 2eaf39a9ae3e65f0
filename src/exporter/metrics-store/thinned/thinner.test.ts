import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  hints,
  histogramBuffer,
  messagesOf,
  plainHistogram,
  plainLayout,
} from "../../../../test/support/store/histograms.ts";
import { bufferOf, samplesIn, seriesOf } from "../../../../test/support/store/series.ts";
import type { SampleBuffer } from "../../series/series.ts";
import { type Grid, gridOf } from "../expressions/grid.ts";
import { forgetResets } from "../prometheus/read-histograms.ts";
import { readFromMs, Thinner } from "./thinner.ts";

/** NaN is a staleness marker. */
type Sample = readonly [ms: number, value: number];

const series = seriesOf("m");
const other = seriesOf("n");

function samplesOf(buffer: SampleBuffer): Sample[] {
  return Array.from({ length: buffer.length }, (_, index) => {
    const value = buffer.isStale(index) ? Number.NaN : (buffer.values[index] ?? 0);
    return [buffer.timestampsMs[index] ?? 0, value];
  });
}

/** What is passed on of one series, whose samples come in these pieces. */
function thinned(grid: Grid, ...pieces: readonly (readonly Sample[])[]): Sample[] {
  const out: Sample[] = [];
  const thinner = new Thinner(grid, (of, samples) => {
    expect(of).toBe(series);
    out.push(...samplesOf(samples));
    return undefined;
  });
  for (const piece of pieces) void thinner.add(series, bufferOf(piece));
  void thinner.end();
  return out;
}

const grid: Grid = { firstMs: 20, lastMs: 50, stepMs: 10 };

describe("at each point, the last sample of the step that ends there", () => {
  test.each<[string, string, string]>([
    ["nothing", "", ""],
    ["the last value, with the point's time", "11=1 14=2 19=3", "20=3"],
    ["a step holds its end, not its start", "10=1 20=2 21=3", "20=2 30=3"],
    ["a step without a sample has none, and no marker", "15=1 45=2", "20=1 50=2"],
    ["steps beyond the grid count for their markers alone", "5=1 15=2 51=3", "20=2"],
    ["infinities and zeros", "20=Infinity 30=-Infinity 40=-0", "20=Infinity 30=-Infinity 40=-0"],
    ["a series that ends", "15=1 16=NaN", "20=1 30=NaN"],
    ["one that ended in the step before the grid", "5=1 6=NaN", "20=NaN"],
    ["one that ended earlier", "0=1 -1=NaN", ""],
    ["one that ends at the last point", "45=1 46=NaN", "50=1"],
    ["one whose marker has a step of its own", "15=1 21=NaN", "20=1 30=NaN"],
    ["both", "15=1 16=NaN 25=NaN", "20=1 30=NaN"],
    ["a series that comes back in the same step", "15=1 16=NaN 17=2", "20=2"],
    ["in the next one", "15=1 16=NaN 27=2", "20=1 30=2"],
    ["and later", "15=1 16=NaN 45=2", "20=1 30=NaN 50=2"],
    ["and ends again", "15=1 16=NaN 45=2 46=NaN", "20=1 30=NaN 50=2"],
  ])("%s", (_, samples, expected) => {
    expect(thinned(grid, samplesIn(samples))).toEqual(samplesIn(expected));
  });
});

test("a NaN keeps its bits", () => {
  const samples = bufferOf(samplesIn("15=0"));
  samples.setBits(0, 0x7ff80000, 0x1234);
  const bits: string[] = [];
  const thinner = new Thinner(grid, (_, points) => {
    bits.push(points.valueBytes.toString("hex", 0, 8));
    return undefined;
  });
  void thinner.add(series, samples);
  void thinner.end();
  expect(bits).toEqual(["341200000000f87f"]);
});

test("each series is passed on before the next one, in one piece", () => {
  const passed: [string | undefined, Sample[]][] = [];
  const thinner = new Thinner(grid, (of, samples) => {
    passed.push([of.label("__name__"), samplesOf(samples)]);
    return undefined;
  });
  void thinner.add(series, bufferOf(samplesIn("15=1 16=NaN")));
  void thinner.add(other, bufferOf(samplesIn("25=2")));
  expect(passed).toEqual([["m", samplesIn("20=1 30=NaN")]]);
  void thinner.end();
  expect(passed.slice(1)).toEqual([["n", [[30, 2]]]]);
});

test("histograms keep all but their time, and the hint that compares them with the one before", () => {
  const passed: { followsOtherKind: boolean; times: number[]; messages: Buffer[] }[] = [];
  const thinner = new Thinner(grid, (_, points) => {
    const times = [...points.timestampsMs.subarray(0, points.length)];
    passed.push({ followsOtherKind: points.followsOtherKind, times, messages: messagesOf(points) });
    return undefined;
  });
  const written = [11, 12, 21].map((ms) => plainHistogram(ms));
  void thinner.add(series, histogramBuffer(plainLayout, written, hints.no));
  void thinner.add(series, bufferOf(samplesIn("35=1 36=NaN")));
  void thinner.end();
  const expected = histogramBuffer(plainLayout, [plainHistogram(20), plainHistogram(30)], hints.no);
  forgetResets(expected);
  expect(passed).toMatchObject([
    { followsOtherKind: false, times: [20, 30], messages: messagesOf(expected) },
    { followsOtherKind: true, times: [40, 50] },
  ]);
});

test("while a receiver waits, what it was passed stays, and nothing else is passed", async () => {
  const passed: [string | undefined, number[]][] = [];
  let isWaiting = false;
  const thinner = new Thinner(grid, async (of, points) => {
    expect(isWaiting).toBe(false);
    isWaiting = true;
    await new Promise((resolve) => setImmediate(resolve));
    isWaiting = false;
    passed.push([of.label("__name__"), [...points.timestampsMs.subarray(0, points.length)]]);
  });
  await thinner.add(series, histogramBuffer(plainLayout, [plainHistogram(11)], hints.no));
  await thinner.add(series, bufferOf(samplesIn("25=1")));
  await thinner.add(series, histogramBuffer(plainLayout, [plainHistogram(31)], hints.no));
  await thinner.add(other, bufferOf(samplesIn("15=1 25=2")));
  await thinner.end();
  expect(passed).toEqual([
    ["m", [20]],
    ["m", [30]],
    ["m", [40]],
    ["n", [20, 30]],
  ]);
});

/** The definition, word for word. */
function model(samples: readonly Sample[], { firstMs, lastMs, stepMs }: Grid): Sample[] {
  const stepOf = (endMs: number) => samples.filter(([ms]) => ms > endMs - stepMs && ms <= endMs);
  const isValue = ([, value]: Sample) => !Number.isNaN(value);
  const points: Sample[] = [];
  for (let ms = firstMs; ms <= lastMs; ms += stepMs) {
    const values = stepOf(ms).filter(isValue);
    const before = stepOf(ms - stepMs);
    const last = values.at(-1);
    if (last !== undefined) points.push([ms, last[1]]);
    else if (stepOf(ms).length > 0 || (before.some(isValue) && !isValue(before.at(-1) as Sample)))
      points.push([ms, Number.NaN]);
  }
  return points;
}

test("any division of time into windows, and of a series into pieces, gives the points of the whole, each once", () => {
  const sample = fc.tuple(fc.integer({ min: -50, max: 200 }), fc.oneof(fc.nat(9), fc.constant(Number.NaN)));
  fc.assert(
    fc.property(
      fc.uniqueArray(sample, { selector: ([ms]) => ms, maxLength: 40 }),
      fc.integer({ min: 1, max: 40 }),
      fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 5 }),
      fc.nat(40),
      (drawn, stepMs, cuts, cut) => {
        const samples = [...drawn].sort(([a], [b]) => a - b);
        const bounds = [0, ...cuts.sort((a, b) => a - b), 150];
        const parts = bounds.slice(1).flatMap((toMs, index) => {
          const part = gridOf({ fromMs: bounds[index] ?? 0, toMs }, stepMs);
          if (part === undefined) return [];
          const read = samples.filter(([ms]) => ms > readFromMs(part) && ms <= part.lastMs);
          return thinned(part, read.slice(0, cut), read.slice(cut));
        });
        const whole = gridOf({ fromMs: 0, toMs: 150 }, stepMs);
        expect(parts).toEqual(whole === undefined ? [] : model(samples, whole));
      },
    ),
  );
});
