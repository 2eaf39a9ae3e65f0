import { describe, expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { CountOutcome, CountRequest, SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { StepCount } from "../state/sample-counts.ts";
import { SinkStats } from "../stats/sink-stats.ts";
import { CountCheck } from "./count-check.ts";

const stepMs = 10;
const horizonMs = 100;
const nowMs = 200;
const signal = new AbortController().signal;

class FakeCounter implements SampleCounter {
  readonly requests: CountRequest[] = [];
  readonly #outcomes: Record<CountRequest["of"], CountOutcome>;
  constructor(outcomes: Record<CountRequest["of"], CountOutcome>) {
    this.#outcomes = outcomes;
  }
  count(request: CountRequest): Promise<CountOutcome> {
    this.requests.push(request);
    return Promise.resolve(this.#outcomes[request.of]);
  }
}

function counts(...list: number[]): CountOutcome {
  return { kind: "counts", counts: list, startedMs: nowMs };
}
const unsupported: CountOutcome = { kind: "unsupported" };
const failed: CountOutcome = { kind: "failed", reason: "store_error", message: "away" };

/** Steps that end at these times. */
function steps(
  ...list: Array<readonly [endMs: number, samples: number, staleMarkers?: number]>
): StepCount[] {
  return list.map(([endMs, samples, staleMarkers = 0]) => ({ endMs, samples, staleMarkers }));
}

async function checked(
  known: readonly StepCount[],
  samples: CountOutcome,
  staleMarkers: CountOutcome = unsupported,
  depthMs = Infinity,
  readAtMs = (_: number): number | undefined => undefined,
) {
  const counter = new FakeCounter({ samples, staleMarkers });
  const stats = new SinkStats(0);
  const deps = {
    counter,
    stepMs,
    lookBackMs: horizonMs,
    sink: "sink",
    owner: "shop",
    stats,
    log: silentLogger,
  };
  const check = new CountCheck(
    { ...deps, clock: new TestClock(nowMs) },
    { nowMs, depthMs, withMarkers: depthMs === Infinity, readAtMs },
    signal,
  );
  const result = await check.run({ selector: "up", tenant: { label: "project", value: "shop" } }, known);
  return { result, counter, stats };
}

const known = steps([180, 5], [190, 6, 2]);

describe("a step is", () => {
  test.each([
    ["left alone when its count is the known one", counts(5, 4), unsupported, [], []],
    ["left alone when both of its counts are", counts(5, 4), counts(0, 2), [], []],
    ["read again when there are more", counts(7, 4), counts(0, 2), steps([180, 7]), []],
    [
      "read again when there are more, also without a count of markers",
      counts(5, 9),
      unsupported,
      steps([190, 11, 2]),
      [],
    ],
    ["read again when there are more markers", counts(5, 4), counts(1, 2), steps([180, 6, 1]), []],
    ["read again when a marker replaces a sample", counts(5, 3), counts(0, 3), steps([190, 6, 3]), []],
    ["corrected when there are fewer", counts(3, 4), unsupported, [], steps([180, 3])],
    ["corrected when there are fewer markers", counts(5, 4), counts(0, 1), [], steps([190, 5, 1])],
    ["left alone when markers cannot be counted", counts(5, 4), failed, [], []],
    ["left alone when a store counts nothing", unsupported, unsupported, [], []],
    ["left alone when the store does not respond", failed, counts(9, 9), [], []],
  ])("%s", async (_, samples, staleMarkers, more, corrected) => {
    const { result } = await checked(known, samples, staleMarkers);
    expect(result).toMatchObject({ more, corrected });
  });
});

test.each([
  ["before the step was read: nothing is known of it", nowMs + 1, []],
  ["after it: samples have vanished", nowMs - 1, steps([180, 3])],
])("fewer samples in a count that was requested %s", async (_, readAtMs, corrected) => {
  const { result, stats } = await checked(known, counts(3, 4), unsupported, Infinity, (endMs) =>
    endMs === 180 ? readAtMs : undefined,
  );
  expect(result).toMatchObject({ more: [], corrected });
  expect(stats.vanished).toBe(corrected.length * 2);
});

test("more samples count, however old their count is", async () => {
  const { result } = await checked(known, counts(7, 4), unsupported, Infinity, () => nowMs + 1);
  expect(result.more).toEqual(steps([180, 7]));
});

test.each([
  [counts(5, 4), counts(0, 2), true, true, 0],
  [counts(5, 4), unsupported, true, true, 0],
  [counts(5, 4), failed, true, false, 1],
  [failed, counts(0, 2), false, true, 1],
  [failed, failed, false, false, 1],
])(
  "which of both counts has failed is known (%#)",
  async (samples, markers, hasSamples, hasMarkers, failures) => {
    const { result, stats } = await checked(known, samples, markers);
    expect(result).toMatchObject({ hasSamples, hasMarkers });
    expect([stats.lateChecks, stats.lateCheckFailures]).toEqual([1, failures]);
  },
);

test("what came later than the horizon is counted, and not read; what is gone is counted", async () => {
  const old = steps([90, 5], [100, 5], [110, 5], [120, 5]);
  const { result, stats } = await checked(old, counts(6, 8, 9, 1));
  expect(result).toMatchObject({ more: steps([110, 9]), corrected: steps([90, 6], [100, 8], [120, 1]) });
  expect(stats.tooLate).toBe(1 + 3);
  expect(stats.vanished).toBe(4);
});

test("it asks for the known steps within its depth, whole ones", async () => {
  const list = steps([140, 1], [150, 1], [160, 1], [170, 1], [180, 1]);
  const { counter, result } = await checked(list, counts(2, 1, 1), counts(9, 9, 9), 50);
  expect(counter.requests).toEqual([
    {
      ...{ selector: "up", tenant: { label: "project", value: "shop" }, owner: "shop", stepMs },
      ...{ of: "samples", window: { fromMs: 150, toMs: 180 } },
    },
  ]);
  expect(result.more).toEqual(steps([160, 2]));
});

test("markers are counted of all steps, however deep the check is", async () => {
  const counter = new FakeCounter({ samples: counts(4), staleMarkers: counts(0, 2) });
  const deps = { counter, stepMs, lookBackMs: horizonMs, sink: "sink", owner: "shop", log: silentLogger };
  const check = new CountCheck(
    { ...deps, stats: new SinkStats(0), clock: new TestClock(nowMs) },
    { nowMs, depthMs: 20, withMarkers: true, readAtMs: () => undefined },
    signal,
  );
  expect(await check.run({ selector: "up", tenant: undefined }, known)).toMatchObject({ more: [] });
  expect(counter.requests.map(({ of, window }) => [of, window])).toEqual([
    ["samples", { fromMs: 180, toMs: 190 }],
    ["staleMarkers", { fromMs: 170, toMs: 190 }],
  ]);
});

test("markers are counted after the samples, of the same steps", async () => {
  const { counter } = await checked(known, counts(5, 4), counts(0, 2));
  expect(counter.requests.map(({ of, window }) => [of, window])).toEqual([
    ["samples", { fromMs: 170, toMs: 190 }],
    ["staleMarkers", { fromMs: 170, toMs: 190 }],
  ]);
});

test.each([
  ["nothing is known", [], Infinity],
  ["all that is known is older than its depth", known, 19],
])("nothing is asked when %s", async (_, list, depthMs) => {
  const { counter, stats, result } = await checked(list, counts(), counts(), depthMs);
  expect(counter.requests).toEqual([]);
  expect(result).toMatchObject({ more: [], corrected: [] });
  expect(stats.lateChecks).toBe(0);
});

test("a check is counted, and so is one that failed", async () => {
  const first = await checked(known, counts(5, 4));
  expect([first.stats.lateChecks, first.stats.lateCheckFailures]).toEqual([1, 0]);
  const second = await checked(known, failed);
  expect([second.stats.lateChecks, second.stats.lateCheckFailures]).toEqual([1, 1]);
});

test("the time that counting takes is added up, in seconds", async () => {
  const clock = new TestClock(nowMs);
  clock.advance(9_000);
  const counter: SampleCounter = {
    count: () => {
      clock.advance(250);
      return Promise.resolve(counts(5, 4));
    },
  };
  const stats = new SinkStats(0);
  const deps = { counter, stepMs, lookBackMs: horizonMs, sink: "sink", owner: "shop", stats, clock };
  const reach = { nowMs, depthMs: Infinity, withMarkers: true, readAtMs: () => undefined };
  const check = new CountCheck({ ...deps, log: silentLogger }, reach, signal);
  await check.run({ selector: "up", tenant: undefined }, known);
  await check.run({ selector: "up", tenant: undefined }, known);
  expect(stats.lateCheckSeconds).toBe(1);
});
