import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { StepCount } from "../state/sample-counts.ts";
import { KnownCounts, SinkCounts } from "./known-counts.ts";
import type { SentRecord } from "./sent-record.ts";

const stepMs = 10;
const source = "source-1";

function count(endMs: number, samples: number, staleMarkers = 0): StepCount {
  return { endMs, samples, staleMarkers };
}

function listed(known: KnownCounts | undefined, fromMs = -Infinity, toMs = Infinity): number[][] {
  const steps = [...(known?.between(fromMs, toMs) ?? [])];
  return steps.map(({ endMs, samples, staleMarkers }) => [
    endMs,
    samples,
    ...(staleMarkers ? [staleMarkers] : []),
  ]);
}

describe("the known counts of a source", () => {
  test.each([
    [
      "whole steps",
      0,
      30,
      [count(10, 1), count(20, 2), count(30, 3)],
      [
        [10, 1],
        [20, 2],
        [30, 3],
      ],
    ],
    [
      "steps without samples are known to have none",
      0,
      30,
      [count(20, 2)],
      [
        [10, 0],
        [20, 2],
        [30, 0],
      ],
    ],
    [
      "no samples at all",
      0,
      20,
      [],
      [
        [10, 0],
        [20, 0],
      ],
    ],
    [
      "a step that began before is left out",
      5,
      30,
      [count(10, 1), count(20, 2)],
      [
        [20, 2],
        [30, 0],
      ],
    ],
    [
      "a step that has not ended is left out",
      0,
      25,
      [count(20, 2), count(30, 3)],
      [
        [10, 0],
        [20, 2],
      ],
    ],
    ["less than a step", 11, 19, [count(20, 2)], []],
    ["a step but for its first ms", 11, 20, [count(20, 2)], []],
    ["one step", 10, 20, [count(20, 2)], [[20, 2]]],
    ["far from zero", 1e12 - 10, 1e12, [count(1e12, 2, 1)], [[1e12, 2, 1]]],
  ])("%s", (_, fromMs, toMs, counts, expected) => {
    const known = new KnownCounts(fromMs, stepMs);
    known.extend(toMs, counts, "up");
    expect(listed(known)).toEqual(expected);
  });

  test("a step that two windows share has the sum", () => {
    const known = new KnownCounts(0, stepMs);
    known.extend(14, [count(10, 1), count(20, 2, 1)], "up");
    known.extend(30, [count(20, 3), count(30, 4, 4)], "up");
    expect(listed(known)).toEqual([
      [10, 1],
      [20, 5, 1],
      [30, 4, 4],
    ]);
  });

  test.each([
    [-Infinity, Infinity, [10, 20, 30]],
    [0, 30, [10, 20, 30]],
    [1, 30, [20, 30]],
    [10, 29, [20]],
    [10, 20, [20]],
    [11, 29, []],
    [30, 60, []],
    [-20, 5, []],
  ])("between %i and %i only whole steps", (fromMs, toMs, ends) => {
    const known = new KnownCounts(0, stepMs);
    known.extend(30, [], "up");
    expect(listed(known, fromMs, toMs).map(([endMs]) => endMs)).toEqual(ends);
  });

  test("a correction replaces a step's count; one of a forgotten step changes nothing", () => {
    const known = new KnownCounts(0, stepMs);
    known.extend(30, [count(10, 1), count(20, 2)], "up");
    known.dropUntil(10);
    known.correct([count(10, 9), count(20, 7, 3), count(30, 1)]);
    expect(listed(known)).toEqual([
      [20, 7, 3],
      [30, 1],
    ]);
  });

  test("staleness markers are corrected to none, and are dropped with their steps", () => {
    const known = new KnownCounts(0, stepMs);
    known.extend(40, [count(10, 1, 1), count(20, 2, 2), count(30, 3, 3), count(40, 4, 4)], "up");
    known.correct([count(40, 4, 0)]);
    known.dropUntil(10);
    expect(listed(known)).toEqual([
      [20, 2, 2],
      [30, 3, 3],
      [40, 4],
    ]);
  });

  test.each([
    [-5, [10, 20, 30], 0],
    [0, [10, 20, 30], 0],
    [1, [20, 30], 1],
    [10, [20, 30], 10],
    [15, [30], 15],
    [30, [], 30],
    [99, [], 30],
    [Infinity, [], 30],
  ])("dropped until %i", (ms, ends, fromMs) => {
    const known = new KnownCounts(0, stepMs);
    known.extend(30, [count(10, 10), count(20, 20), count(30, 30)], "up");
    known.dropUntil(ms);
    expect(listed(known)).toEqual(ends.map((endMs) => [endMs, endMs]));
    expect(known.fromMs).toBe(fromMs);
    expect(known.lost).toBeUndefined();
    known.extend(50, [count(40, 4), count(50, 5)], "up");
    expect(listed(known)).toEqual([...ends.map((endMs) => [endMs, endMs]), [40, 4], [50, 5]]);
  });

  test("what is lost is reported, from the first of it to the last", () => {
    const known = new KnownCounts(0, stepMs);
    known.extend(40, [count(40, 4)], "up");
    known.dropUntil(5);
    known.loseUntil(5);
    expect(known.lost).toBeUndefined();
    known.loseUntil(12);
    expect(known.lost).toEqual({ fromMs: 5, toMs: 12 });
    known.loseUntil(22);
    expect(known.lost).toEqual({ fromMs: 5, toMs: 22 });
    expect(listed(known)).toEqual([[40, 4]]);
    known.loseUntil(Infinity);
    expect(known.lost).toEqual({ fromMs: 5, toMs: 40 });
    expect(listed(known)).toEqual([]);
  });

  test("each step has the query that was read in it; one in which it was edited has the new one", () => {
    const known = new KnownCounts(0, stepMs);
    const queries = () => [...known.between(-Infinity, Infinity)].map(({ query }) => query);
    known.extend(20, [], "a");
    known.extend(30, [], "a");
    known.extend(35, [], "b");
    expect(queries()).toEqual(["a", "a", "a"]);
    known.extend(38, [], "c");
    known.extend(50, [], "d");
    expect(queries()).toEqual(["a", "a", "a", "d", "d"]);
    known.extend(60, [], "e");
    expect(queries()).toEqual(["a", "a", "a", "d", "d", "e"]);
    known.dropUntil(30);
    expect(queries()).toEqual(["d", "d", "e"]);
    known.dropUntil(50);
    expect(queries()).toEqual(["e"]);
  });

  test("any extensions and drops leave the counts of a plain map", () => {
    const change = fc.oneof(
      fc.record({
        type: fc.constantFrom("extend" as const, "skip" as const),
        ms: fc.integer({ min: 1, max: 35 }),
      }),
      fc.record({
        type: fc.constantFrom("drop" as const, "lose" as const),
        ms: fc.integer({ min: 0, max: 150 }),
      }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: -30, max: 30 }),
        fc.array(change, { maxLength: 12 }),
        (startMs, changes) => {
          const known = new KnownCounts(startMs, stepMs);
          let toMs = startMs;
          let fromMs = startMs;
          const unknown = new Set<number>();
          for (const { type, ms } of changes) {
            if (type === "skip") {
              for (let lost = 1; lost <= ms; lost++) unknown.add(toMs + lost);
              known.skipTo(toMs + ms);
              toMs += ms;
            } else if (type === "extend") {
              // A sample in each millisecond.
              const ends = Array.from(
                { length: ms },
                (_, index) => Math.ceil((toMs + 1 + index) / stepMs) * stepMs,
              );
              known.extend(
                toMs + ms,
                [...new Set(ends)].map((end) => count(end, ends.filter((other) => other === end).length)),
                "up",
              );
              toMs += ms;
            } else {
              if (type === "drop") known.dropUntil(ms);
              else known.loseUntil(ms);
              fromMs = Math.max(fromMs, Math.min(ms, toMs));
            }
          }
          const expected: number[][] = [];
          for (let end = -30; end <= toMs; end += stepMs) {
            const times = Array.from({ length: stepMs }, (_, index) => end - index);
            const isKnown = end - stepMs >= fromMs && !times.some((ms) => unknown.has(ms));
            if (isKnown) expected.push([end, stepMs]);
            expect(known.has({ fromMs: end - stepMs, toMs: end })).toBe(isKnown);
          }
          expect(listed(known)).toEqual(expected);
          expect([known.fromMs, known.toMs]).toEqual([fromMs, toMs]);
        },
      ),
    );
  });
});

describe("the known counts of a sink", () => {
  function record(
    fromMs: number,
    toMs: number,
    counts: StepCount[],
    kind: "live" | "late" = "live",
  ): SentRecord {
    return {
      ...{ kind, fromMs, toMs, blockId: 1, isFirstOfBlock: true, ordinal: 0, blockBaseMs: fromMs },
      sources: [{ source, counts }],
      body: Buffer.alloc(0),
    };
  }
  const first = record(0, 20, [count(10, 1), count(20, 2)]);

  test.each([
    [
      "one",
      [first],
      [
        [10, 1],
        [20, 2],
      ],
      undefined,
    ],
    [
      "the next",
      [first, record(20, 30, [count(30, 3)])],
      [
        [10, 1],
        [20, 2],
        [30, 3],
      ],
      undefined,
    ],
    [
      "the same again",
      [first, first],
      [
        [10, 1],
        [20, 2],
      ],
      undefined,
    ],
    [
      "one of a span that is known",
      [first, record(5, 15, [count(10, 5)])],
      [
        [10, 1],
        [20, 2],
      ],
      undefined,
    ],
    [
      "after a gap",
      [first, record(30, 50, [count(40, 4)])],
      [
        [10, 1],
        [20, 2],
        [40, 4],
        [50, 0],
      ],
      { fromMs: 20, toMs: 30 },
    ],
    [
      "after two gaps",
      [first, record(30, 40, [count(40, 4)]), record(50, 60, [count(60, 6)])],
      [
        [10, 1],
        [20, 2],
        [40, 4],
        [60, 6],
      ],
      { fromMs: 20, toMs: 50 },
    ],
    [
      "after a gap of a millisecond",
      [first, record(21, 40, [count(30, 3), count(40, 4)])],
      [
        [10, 1],
        [20, 2],
        [40, 4],
      ],
      { fromMs: 20, toMs: 21 },
    ],
    [
      "after a gap that is longer than any horizon",
      [first, record(2 ** 32, 2 ** 32 + 14, [count(2 ** 32 + 14, 4)])],
      [[2 ** 32 + 14, 4]],
      { fromMs: 0, toMs: 2 ** 32 },
    ],
    // Too few only cost a reading.
    [
      "an overlap",
      [first, record(10, 40, [count(20, 2), count(30, 3)])],
      [
        [10, 1],
        [20, 2],
        [30, 0],
        [40, 0],
      ],
      undefined,
    ],
    [
      "late ones",
      [first, record(0, 10, [count(10, 7)], "late")],
      [
        [10, 7],
        [20, 2],
      ],
      undefined,
    ],
    ["late ones of what was never known", [record(0, 10, [count(10, 7)], "late")], [], undefined],
  ])("%s", (_, records, expected, lost) => {
    const counts = new SinkCounts(stepMs);
    for (const one of records) counts.take(one);
    expect(listed(counts.get(source))).toEqual(expected);
    expect(counts.get(source)?.lost).toEqual(lost);
  });

  test("a record without a query has that of the source's last live record", () => {
    const counts = new SinkCounts(stepMs);
    const take = (fromMs: number, query: string | undefined, kind: "live" | "late" = "live") =>
      counts.take({ ...record(fromMs, fromMs + 10, [], kind), sources: [{ source, query, counts: [] }] });
    take(0, "a");
    take(10, undefined);
    take(0, "late", "late");
    take(20, undefined);
    take(30, "b");
    const steps = [...(counts.get(source)?.between(0, 40) ?? [])];
    expect(steps.map(({ query }) => query)).toEqual(["a", "a", "a", "b"]);
  });

  test("what was forgotten before is noted once, from the beginning of time", () => {
    const counts = new SinkCounts(stepMs);
    counts.take(first);
    const lost = () => counts.get(source)?.lost;
    counts.noteLost(5);
    expect(lost()).toEqual({ fromMs: -Infinity, toMs: 5 });
    counts.loseUntil(12);
    expect(lost()).toEqual({ fromMs: -Infinity, toMs: 12 });
    const known = lost();
    counts.noteLost(12);
    expect(lost()).toBe(known);
    counts.noteLost(13);
    expect(lost()).toEqual({ fromMs: -Infinity, toMs: 13 });
  });

  test("sources are apart, and one of which nothing is left is forgotten", () => {
    const counts = new SinkCounts(stepMs);
    counts.take(first);
    counts.take({
      ...record(0, 40, [count(40, 4)]),
      sources: [{ source: "source-2", counts: [count(40, 4)] }],
    });
    counts.dropUntil(20);
    expect(counts.get(source)).toBeUndefined();
    expect(listed(counts.get("source-2"))).toEqual([
      [30, 0],
      [40, 4],
    ]);
    counts.loseUntil(30);
    expect(listed(counts.get("source-2"))).toEqual([[40, 4]]);
    expect(counts.get("source-2")?.lost).toEqual({ fromMs: 20, toMs: 30 });
  });
});
