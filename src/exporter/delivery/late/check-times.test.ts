import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkDepthMs, lookBackMs } from "./check-times.ts";

const everyMs = 60;
const horizonMs = 3_600;

describe("how far back a check looks", () => {
  test.each([
    ["the first check, at everything", undefined, 1_000, Infinity],
    ["no check within a pause", 61, 119, undefined],
    ["no check at the same time", 60, 60, undefined],
    ["a pause that ends at its last ms", 119, 120, 640],
    ["each pause", 120, 180, 320],
    ["every second one", 60, 120, 640],
    ["every fourth one", 180, 240, 1_280],
    ["every eighth one", 420, 480, 2_560],
    ["every sixteenth one reaches the horizon", 900, 960, Infinity],
    ["a pause that was missed counts", 130, 260, 1_280],
    ["after a long time, at everything", 60, 100_000, Infinity],
    ["before the epoch's end of a pause", -1, 0, Infinity],
  ])("%s", (_, lastMs, nowMs, depthMs) => {
    expect(checkDepthMs(nowMs, lastMs, everyMs, horizonMs)).toBe(depthMs);
  });

  test("a horizon within a pause's depth is looked at as a whole each time", () => {
    expect(checkDepthMs(120, 60, everyMs, 320)).toBe(Infinity);
    expect(checkDepthMs(180, 120, everyMs, 320)).toBe(Infinity);
    expect(checkDepthMs(180, 120, everyMs, 321)).toBe(320);
  });
});

test.each([
  [3_600, 60, 3_600 + 1_350],
  [80, 60, 80 + 60],
])(
  "with a horizon of %i and a pause of %i, samples of the last %i are sent",
  (horizon, quietMs, expected) => {
    expect(lookBackMs({ horizonMs: horizon, delayMs: 0, quietMs, alertMs: 0 })).toBe(expected);
  },
);

/**
 * With a pause P, cycles at most P / 3 apart, and steps of S: a check that looks back far enough to see a
 * sample's whole step comes within max(P, (L + S) / 2) and one cycle after the sample has arrived, L late.
 */
test("a sample that is L late is looked at within half of that, or a pause", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 3, max: 1_000 }),
      fc.integer({ min: 2, max: 3_000 }),
      fc.nat(),
      fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.integer({ min: 1, max: 500 }),
      (pauseMs, horizonPauses, startMs, ticks, lateness, arrival, stepMs) => {
        const horizon = pauseMs * horizonPauses;
        const cycleMs = Math.floor(pauseMs / 3);
        const lateMs = Math.floor(lateness * (horizon - 1));
        const arrivedMs = startMs + Math.floor(arrival * horizon);
        const sampleMs = arrivedMs - lateMs;
        const stepFromMs = (Math.ceil(sampleMs / stepMs) - 1) * stepMs;
        const limitMs = arrivedMs + Math.max(pauseMs, (lateMs + stepMs) / 2) + cycleMs;
        let lastMs: number | undefined;
        let nowMs = startMs;
        for (let tick = 0; nowMs <= limitMs; tick++) {
          const depthMs = checkDepthMs(nowMs, lastMs, pauseMs, horizon);
          if (depthMs !== undefined) lastMs = nowMs;
          if (depthMs !== undefined && nowMs >= arrivedMs && stepFromMs >= nowMs - depthMs) return;
          nowMs += 1 + ((ticks[tick % ticks.length] ?? 0) % cycleMs);
        }
        throw new Error(`${sampleMs}, arrived at ${arrivedMs}, was not looked at until ${limitMs}`);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("few checks look at everything, and all of them together at little", () => {
  const depths: number[] = [];
  for (let nowMs = 1; nowMs <= 1_440; nowMs++) depths.push(checkDepthMs(nowMs, nowMs - 1, 1, 1_440) ?? 0);
  expect(depths.filter((depth) => depth === Infinity).length).toBe(2);
  const sum = depths.filter((depth) => depth !== Infinity).reduce((all, depth) => all + depth, 0);
  // Each of its nine levels looks back by as much in the mean.
  expect(sum / depths.length).toBeLessThan((16 / 3) * (1 + 8 / 2));
});
