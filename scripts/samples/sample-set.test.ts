import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  describeDiff,
  diffSamples,
  isSameSet,
  SampleSet,
  type SampleValue,
  sameUpToRounding,
  seriesKey,
} from "./sample-set.ts";

type Row = readonly [key: string, timestampMs: number, value: SampleValue];

function setOf(rows: readonly Row[]): SampleSet {
  const set = new SampleSet();
  for (const [key, timestampMs, value] of rows) set.add(key, timestampMs, value);
  return set;
}

function rowsOf(set: SampleSet): Row[] {
  return [...set.series].flatMap(([key, { timestampsMs, values }]) =>
    timestampsMs.map((timestampMs, index): Row => [key, timestampMs, values[index]!]),
  );
}

describe("diffSamples", () => {
  interface Case {
    readonly source: Row[];
    readonly receiver: Row[];
    readonly missing?: Row[];
    readonly extra?: Row[];
    readonly different?: Row[];
    readonly repeated?: Row[];
  }
  const cases: Record<string, Case> = {
    "nothing at all": { source: [], receiver: [] },
    "equal in another order": {
      source: [
        ["a", 1, 10],
        ["a", 2, 20],
        ["b", 1, 1],
      ],
      receiver: [
        ["b", 1, 1],
        ["a", 2, 20],
        ["a", 1, 10],
      ],
    },
    "a lost sample and a lost series": {
      source: [
        ["a", 1, 10],
        ["a", 2, 20],
        ["b", 1, 1],
      ],
      receiver: [["a", 2, 20]],
      missing: [
        ["a", 1, 10],
        ["b", 1, 1],
      ],
    },
    "what nobody wrote": {
      source: [["a", 2, 1]],
      receiver: [
        ["a", 2, 1],
        ["a", 3, 1],
        ["z", 2, 1],
      ],
      extra: [
        ["a", 3, 1],
        ["z", 2, 1],
      ],
    },
    "another value": {
      source: [["a", 1, 10]],
      receiver: [["a", 1, 11]],
      different: [["a", 1, 11]],
      missing: [["a", 1, 10]],
    },
    "another value beside the right one": {
      source: [["a", 1, 10]],
      receiver: [
        ["a", 1, 10],
        ["a", 1, 11],
      ],
      different: [["a", 1, 11]],
    },
    "two copies too many": {
      source: [["a", 1, 10]],
      receiver: [
        ["a", 1, 10],
        ["a", 1, 10],
        ["a", 1, 10],
      ],
      repeated: [
        ["a", 1, 10],
        ["a", 1, 10],
      ],
    },
    "a copy that only the source has": {
      source: [
        ["a", 1, 10],
        ["a", 1, 10],
      ],
      receiver: [["a", 1, 10]],
    },
    "stale markers, infinities and the sign of zero": {
      source: [
        ["a", 1, Number.NaN],
        ["a", 2, Number.POSITIVE_INFINITY],
        ["a", 3, 0],
      ],
      receiver: [
        ["a", 1, Number.NaN],
        ["a", 2, Number.NEGATIVE_INFINITY],
        ["a", 3, -0],
      ],
      different: [
        ["a", 2, Number.NEGATIVE_INFINITY],
        ["a", 3, -0],
      ],
      missing: [
        ["a", 2, Number.POSITIVE_INFINITY],
        ["a", 3, 0],
      ],
    },
  };
  it.each(Object.entries(cases))("%s", (_name, { source, receiver, ...expected }) => {
    const diff = diffSamples(setOf(source), setOf(receiver));
    for (const kind of ["missing", "extra", "different", "repeated"] as const) {
      expect(rowsOf(diff[kind]), kind).toEqual(expected[kind] ?? []);
    }
    expect(isSameSet(diff)).toBe(
      expected.missing === undefined && expected.extra === undefined && expected.different === undefined,
    );
  });

  it("finds exactly what was taken away, whatever the order", () => {
    const rows = fc.uniqueArray(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 50 })), {
      selector: ([key, timestampMs]) => `${key} ${timestampMs}`,
    });
    fc.assert(
      fc.property(
        rows,
        fc.func(fc.boolean()),
        fc.array(fc.nat(), { maxLength: 5 }),
        (pairs, keep, repeats) => {
          const all = pairs.map(([key, timestampMs]): Row => [key, timestampMs, timestampMs / 2]);
          const kept = all.filter((row) => keep(row));
          const copies = kept.length === 0 ? [] : repeats.map((n) => kept[n % kept.length]!);
          const diff = diffSamples(setOf(all), setOf([...kept, ...copies].reverse()));
          expect(diff.missing.size).toBe(all.length - kept.length);
          expect(diff.repeated.size).toBe(copies.length);
          expect(diff.extra.size + diff.different.size).toBe(0);
        },
      ),
    );
  });
});

it("rounded values count as one where that is asked for, and nothing else does", () => {
  const rounded: Row[] = [
    ["a", 1, 0.07342188536201],
    ["a", 2, 9223372036854775000],
    ["a", 3, Number.POSITIVE_INFINITY],
    ["a", 4, 1],
    ["a", 5, 0],
  ];
  const held: Row[] = [
    ["a", 1, 0.073421885362],
    ["a", 2, 9223372036854774000],
    ["a", 3, Number.NEGATIVE_INFINITY],
    ["a", 4, 1.0001],
    ["a", 5, 1e-9],
  ];
  const diff = diffSamples(setOf(rounded), setOf(held), sameUpToRounding);
  expect(rowsOf(diff.different).map(([, timestampMs]) => timestampMs)).toEqual([3, 4, 5]);
  expect(diffSamples(setOf(rounded), setOf(held)).different.size).toBe(5);
});

it("seriesKey does not depend on the order of labels, and quotes what could be mistaken", () => {
  const a = { name: "a", value: 'x",b="y' };
  const b = { name: "b", value: "y" };
  expect(seriesKey([b, a])).toBe(seriesKey([a, b]));
  expect(seriesKey([{ name: "a", value: "x" }, b])).not.toBe(seriesKey([a]));
});

it("describeDiff counts and gives a few examples", () => {
  const diff = diffSamples(
    setOf([
      ["{a}", 0, 1],
      ["{a}", 1000, 1],
    ]),
    setOf([]),
  );
  expect(describeDiff(diff, 1)).toBe(
    "2 missing, 0 extra, 0 different, 0 repeated\n  missing: {a} 1 @ 1970-01-01T00:00:00.000Z",
  );
});
