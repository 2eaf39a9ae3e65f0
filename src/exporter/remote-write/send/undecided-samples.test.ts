import { expect, test } from "vitest";
import { requestOf } from "../../../../test/support/receiver/encoded.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import type { Refusal } from "./outcome.ts";
import { type Region, UndecidedSamples } from "./undecided-samples.ts";

/** A request of so many series, each with samples at these times. */
function samplesOf(series: number, timesMs: readonly number[]): UndecidedSamples {
  const samples = samplesAt(...timesMs);
  const parts = Array.from({ length: series }, (_, index) => [seriesOf(`m${index}`), samples] as const);
  return new UndecidedSamples(requestOf(parts));
}

/** `series/time` of everything that is undecided in a region. */
function contentOf(samples: UndecidedSamples, region: Region): string[] {
  const { series = [] } = samples.partOf(region) ?? {};
  return series.flatMap(({ index, timesMs }) => timesMs.map((ms) => `${index}/${ms}`));
}

const refusal: Refusal = { status: 400, message: "400", responseLost: false };

test("halves are by series, then by time, and leave out what is decided", () => {
  const samples = samplesOf(3, [1, 2, 3]);
  samples.decide({ ...samples.everything, first: 1, end: 2 });
  const [one, two] = samples.halves(samples.everything) ?? [];
  expect([one, two].map((half) => half && contentOf(samples, half))).toEqual([
    ["0/1", "0/2", "0/3"],
    ["2/1", "2/2", "2/3"],
  ]);
  const [early, late] = (one && samples.halves(one)) ?? [];
  expect([early, late].map((half) => half && contentOf(samples, half))).toEqual([["0/1"], ["0/2", "0/3"]]);
  expect(early && samples.halves(early)).toBeUndefined();
  samples.decide(samples.everything);
  expect(samples.halves(samples.everything)).toBeUndefined();
  expect(samples.partOf(samples.everything)).toBeUndefined();
});

test.each([
  ["series of one turn", 2, 0, ["0/1", "2/1"]],
  ["others of the next turn", 2, 1, ["1/1", "3/1"]],
  ["then their second samples", 6, 0, ["0/1", "1/1", "2/1", "3/1", "0/2", "1/2"]],
])("leading samples are the first ones of series: %s", (_, most, turn, expected) => {
  const samples = samplesOf(4, [1, 2]);
  const leading = samples.leading(samples.everything, most, turn);
  expect(leading.flatMap((region) => contentOf(samples, region))).toEqual(expected);
});

test("spaced samples have the last one, and the first of each series before a later one", () => {
  const samples = samplesOf(2, [1, 2, 3, 4]);
  const spaced = (most: number) =>
    samples.spaced(samples.everything, most).flatMap((region) => contentOf(samples, region));
  expect(spaced(4)).toEqual(["0/1", "0/2", "0/4", "1/1", "1/2", "1/4"]);
  expect(spaced(8)).toEqual(["0/1", "0/2", "0/3", "0/4", "1/1", "1/2", "1/3", "1/4"]);
});

test("a response lost once stays lost, for each of the samples that it concerned", () => {
  const samples = samplesOf(2, [1]);
  const [one, two] = samples.halves(samples.everything) ?? [];
  if (one === undefined || two === undefined) throw new Error("it has two series");
  samples.refuse(samples.everything, refusal, undefined);
  samples.refuse(one, { ...refusal, message: "no response", responseLost: true }, undefined);
  samples.refuse(one, { ...refusal, message: "503" }, { accepted: 2, isProven: true });
  const other = { ...refusal, message: "other" };
  expect(samples.refusalOf(one, other)).toEqual({ ...refusal, message: "503", responseLost: true });
  expect(samples.refusalOf(two, other)).toEqual(refusal);
  expect(samples.refusalOf(samples.everything, other)).toEqual({ ...refusal, responseLost: true });
  expect([samples.failedAlone(one), samples.failedAlone(two)]).toEqual([
    { accepted: 2, isProven: true },
    undefined,
  ]);
});
