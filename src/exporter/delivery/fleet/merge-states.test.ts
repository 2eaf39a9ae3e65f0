import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestEntries } from "../state/request-entries.ts";
import type { JournaledRequest, OpenWindow, SinkState } from "../state/sink-state.ts";
import { SinkStates } from "../state/sink-states.ts";
import { mergeStates, recordsBetween } from "./merge-states.ts";

const sink = "directory/default/export/-/vm";

type Requests = Record<number, JournaledRequest["state"]>;

function window(
  id: number,
  fromMs: number,
  toMs: number,
  sources: string[],
  requests: Requests = {},
): OpenWindow {
  return {
    id,
    sink,
    fromMs,
    toMs,
    stepMs: 1,
    sources: new Set(sources),
    requests: new Map(
      Object.entries(requests).map(([number, state]) => [
        Number(number),
        { number: Number(number), state, entries: new RequestEntries(0) },
      ]),
    ),
  };
}

function state(checkpoints: Record<string, number>, ...windows: OpenWindow[]): SinkState {
  return { checkpoints: new Map(Object.entries(checkpoints)), windows };
}

/** A state as plain data, for comparison. */
function plain({ checkpoints, windows }: SinkState) {
  return {
    checkpoints: Object.fromEntries(checkpoints),
    windows: windows.map(({ id, fromMs, toMs, sources, requests }) => ({
      id,
      fromMs,
      toMs,
      sources: [...sources].sort(),
      requests: Object.fromEntries([...requests.values()].map(({ number, state: is }) => [number, is])),
    })),
  };
}

interface Case {
  readonly shared: SinkState;
  readonly mirror: SinkState;
  readonly reported?: Record<string, number>;
  readonly merged: SinkState;
}

const open = window(7, 10, 20, ["a", "b"], { 1: "acknowledged", 2: "sent" });

describe("mergeStates", () => {
  test.each<[string, Case]>([
    ["nothing is known", { shared: state({}), mirror: state({}), merged: state({}) }],
    [
      "a wiped Redis: the mirror, with its open window",
      { shared: state({}), mirror: state({ a: 10 }, open), merged: state({ a: 10 }, open) },
    ],
    [
      "a fresh replica: Redis",
      { shared: state({ a: 10 }, open), mirror: state({}), merged: state({ a: 10 }, open) },
    ],
    [
      "both gone: the status",
      { shared: state({}), mirror: state({}), reported: { a: 5, b: 5 }, merged: state({ a: 5, b: 5 }) },
    ],
    [
      "the newest of the three, by source",
      {
        shared: state({ a: 1, b: 9, c: 4 }),
        mirror: state({ a: 8, b: 3, c: 4 }),
        reported: { a: 2, b: 2, c: 6 },
        merged: state({ a: 8, b: 9, c: 6 }),
      },
    ],
    [
      "a source that is new to a known sink is not in the status yet",
      { shared: state({ a: 9 }), mirror: state({}), reported: { a: 5, b: 5 }, merged: state({ a: 9 }) },
    ],
    [
      "another replica has closed the mirror's window",
      {
        shared: state({ a: 20, b: 20 }),
        mirror: state({ a: 10, b: 10 }, open),
        merged: state({ a: 20, b: 20 }),
      },
    ],
    [
      "another replica has gone on from the window's beginning with other bounds",
      {
        shared: state({ a: 15, b: 15 }),
        mirror: state({ a: 10, b: 10 }, open),
        merged: state({ a: 15, b: 15 }),
      },
    ],
    [
      "Redis has lost the end of a window that the mirror saw",
      {
        shared: state({ a: 10, b: 10 }, open),
        mirror: state({ a: 20, b: 10 }, window(7, 10, 20, ["b"], { 1: "acknowledged" })),
        merged: state({ a: 20, b: 10 }, window(7, 10, 20, ["b"], { 1: "acknowledged", 2: "sent" })),
      },
    ],
    [
      "both journals of a window are true",
      {
        shared: state({ a: 10 }, window(7, 10, 20, ["a"], { 1: "sent", 2: "acknowledged" })),
        mirror: state({ a: 10 }, window(7, 10, 20, ["a"], { 1: "acknowledged", 2: "sent", 3: "sent" })),
        merged: state(
          { a: 10 },
          window(7, 10, 20, ["a"], { 1: "acknowledged", 2: "acknowledged", 3: "sent" }),
        ),
      },
    ],
    [
      "of two windows of one source the shared one stands",
      {
        shared: state({ a: 10, b: 10 }, window(8, 10, 15, ["a"])),
        mirror: state({ a: 10, b: 10 }, open),
        merged: state(
          { a: 10, b: 10 },
          window(7, 10, 20, ["b"], { 1: "acknowledged", 2: "sent" }),
          window(8, 10, 15, ["a"]),
        ),
      },
    ],
  ])("%s", (_, { shared, mirror, reported = {}, merged }) => {
    expect(plain(mergeStates(shared, mirror, new Map(Object.entries(reported))))).toEqual(plain(merged));
  });
});

const sources = ["a", "b", "c"];
const arbitraryRequests = fc.dictionary(
  fc.integer({ min: 1, max: 4 }).map(String),
  fc.constantFrom("sent", "acknowledged"),
);
const arbitraryState = fc
  .record({
    checkpoints: fc.dictionary(fc.constantFrom(...sources), fc.integer({ min: 0, max: 30 })),
    windows: fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 4 }),
        fromMs: fc.integer({ min: 0, max: 20 }),
        sources: fc.subarray(sources, { minLength: 1 }),
        requests: arbitraryRequests,
      }),
      { selector: ({ id }) => id, maxLength: 3 },
    ),
  })
  .map(({ checkpoints, windows }) =>
    state(
      checkpoints,
      ...windows.map((each) =>
        // The bounds of an id never differ: it is the same window in both states.
        window(each.id, each.id * 5, each.id * 5 + 5, each.sources, each.requests as Requests),
      ),
    ),
  );

async function loaded(...lists: Parameters<SinkStates["apply"]>[0][][]): Promise<SinkState> {
  const memory = new SinkStates();
  for (const record of lists.flat()) memory.apply(record);
  return memory.load(sink);
}

test("notes are those of the state with the newest one, also where they are earlier", () => {
  const noted = (notes: Record<string, number>): SinkState => {
    return { ...state({}), notes: new Map(Object.entries(notes)) };
  };
  const older = noted({ "last check": 10, "checked a": 9, "checked b": 5 });
  const newer = noted({ "last check": 20, "failed a": 20, "checked a": 3 });
  const merged = new Map(
    Object.entries({ "last check": 20, "failed a": 20, "checked a": 3, "checked b": 5 }),
  );
  expect(mergeStates(older, newer).notes).toEqual(merged);
  expect(mergeStates(newer, older).notes).toEqual(merged);
  expect(mergeStates(older, state({})).notes).toEqual(older.notes);
  expect(mergeStates(state({}), older).notes).toEqual(older.notes);
});

test("the records between bring both sides to what was merged, and nothing moves back", async () => {
  const empty = state({});
  await fc.assert(
    fc.asyncProperty(arbitraryState, arbitraryState, async (shared, mirror) => {
      const merged = mergeStates(shared, mirror);
      for (const side of [shared, mirror]) {
        const reached = await loaded(recordsBetween(sink, empty, side), recordsBetween(sink, side, merged));
        expect(plain(reached)).toEqual(plain(merged));
        for (const [source, ms] of side.checkpoints) {
          expect(merged.checkpoints.get(source)).toBeGreaterThanOrEqual(ms);
        }
      }
      expect(recordsBetween(sink, merged, merged)).toEqual([]);
      for (const [index, one] of merged.windows.entries()) {
        for (const other of merged.windows.slice(index + 1)) {
          const isApart =
            other.fromMs >= one.toMs || [...other.sources].every((name) => !one.sources.has(name));
          expect(isApart).toBe(true);
        }
      }
    }),
  );
});
