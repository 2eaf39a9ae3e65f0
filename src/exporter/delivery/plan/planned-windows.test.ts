import { expect, test } from "vitest";
import { hasRequestsInDoubt, type PlannedWindow } from "../state/planned-window.ts";
import { RequestEntries } from "../state/request-entries.ts";
import type { JournaledRequest, OpenWindow } from "../state/sink-state.ts";
import { plannedWindows, waitsFor, withClosed } from "./planned-windows.ts";

function open(fromMs: number, toMs: number, ...sources: string[]): OpenWindow {
  return { id: fromMs, sink: "s", fromMs, toMs, stepMs: 1, sources: new Set(sources), requests: new Map() };
}

/** `FROM-TO SOURCE …` */
function written({ fromMs, toMs, sources }: PlannedWindow): string {
  return [`${fromMs}-${toMs}`, ...sources].join(" ");
}

test.each([
  {
    name: "equal checkpoints share a window",
    checkpoints: { a: 100, b: 100 },
    windows: [],
    expected: ["100-190 a b"],
  },
  {
    name: "one that lags catches up alone, and first",
    checkpoints: { a: 100, b: 20 },
    windows: [],
    expected: ["20-120 b", "100-190 a"],
  },
  {
    name: "an open window goes first with its own bounds",
    checkpoints: { a: 100, b: 100 },
    windows: [open(100, 130, "a")],
    expected: ["100-130 a", "100-190 b"],
  },
  {
    name: "a source that is in two open windows is in the older one only",
    checkpoints: { a: 100, b: 110 },
    windows: [open(100, 130, "a"), open(110, 140, "a", "b")],
    expected: ["100-130 a", "110-140 b"],
  },
  {
    name: "the time before a source's open window comes first",
    checkpoints: { a: 100, b: 90 },
    windows: [open(100, 130, "a", "b"), open(130, 140, "b")],
    expected: ["100-130 a", "90-100 b"],
  },
  {
    name: "what is open for a source that is gone is not run",
    checkpoints: { a: 190, b: 190 },
    windows: [open(100, 130, "gone")],
    expected: [],
  },
  { name: "nothing is new", checkpoints: { a: 195, b: 200 }, windows: [], expected: [] },
])("$name", ({ checkpoints, windows, expected }) => {
  const state = { checkpoints: new Map(Object.entries(checkpoints)), windows };
  const sources = ["a", "b"].map((name) => ({ name, watermarkMs: 190, gridMs: 1 }));
  const groups = plannedWindows(sources, state, 100);
  expect(groups.map(written)).toEqual(expected);
});

test("sources that settle at different times have windows of their own", () => {
  const sources = [
    { name: "raw", watermarkMs: 190, gridMs: 1 },
    { name: "expression", watermarkMs: 150, gridMs: 1 },
    { name: "behind", watermarkMs: 100, gridMs: 1 },
  ];
  const checkpoints = new Map(sources.map(({ name }) => [name, 100]));
  expect(plannedWindows(sources, { checkpoints, windows: [] }, 1_000)).toEqual([
    { fromMs: 100, toMs: 190, sources: ["raw"], open: undefined },
    { fromMs: 100, toMs: 150, sources: ["expression"], open: undefined },
  ]);
});

test("a source without a checkpoint has no window", () => {
  const sources = ["a", "b"].map((name) => ({ name, watermarkMs: 190, gridMs: 1 }));
  const state = { checkpoints: new Map([["a", 100]]), windows: [] };
  expect(plannedWindows(sources, state, 100).map((window) => window.sources)).toEqual([["a"]]);
});

test.each([
  {
    name: "a window that was never opened, since nothing was sent",
    windows: [],
    sources: ["a", "b"],
    left: [],
    expected: ["200-290 a b"],
  },
  {
    name: "one that has a journal",
    windows: [open(100, 200, "a", "b")],
    sources: ["a", "b"],
    left: [],
    expected: ["200-290 a b"],
  },
  {
    name: "one that stays open for another source",
    windows: [open(100, 200, "a", "b")],
    sources: ["a"],
    left: [open(100, 200, "b")],
    expected: ["100-200 b", "200-290 a"],
  },
  {
    name: "beside an older one",
    windows: [open(80, 100, "b"), open(100, 200, "a")],
    sources: ["a"],
    left: [open(80, 100, "b")],
    expected: ["80-100 b", "200-290 a"],
  },
  {
    name: "beside others with one equal bound",
    windows: [open(100, 150, "a"), open(150, 200, "a"), open(100, 200, "a")],
    sources: ["a"],
    left: [open(100, 150, "a"), open(150, 200, "a")],
    expected: ["100-150 a", "100-200 b"],
  },
])("what follows when a window is closed: $name", ({ windows, sources, left, expected }) => {
  const before = { checkpoints: new Map(["a", "b"].map((name) => [name, 100])), windows };
  const after = withClosed(before, { fromMs: 100, toMs: 200, sources, open: undefined });
  expect(after.windows).toEqual(left);
  const watermarks = ["a", "b"].map((name) => ({ name, watermarkMs: 290, gridMs: 1 }));
  const groups = plannedWindows(watermarks, after, 100);
  expect(groups.map(written)).toEqual(expected);
  expect(before.checkpoints.get("a")).toBe(100);
});

test.each<[states: JournaledRequest["state"][], failed: string[], isInDoubt: boolean, isWaiting: boolean]>([
  [[], ["a"], false, false],
  [["acknowledged", "acknowledged"], ["a"], false, false],
  [["acknowledged", "sent"], ["a"], true, true],
  [["sent"], ["b"], true, true],
  [["sent"], ["other"], true, false],
  [["sent"], [], true, false],
])(
  "a window with %j waits for sources if %j cannot be read: %s, %s",
  (states, failed, isInDoubt, isWaiting) => {
    const entries = new RequestEntries(0);
    const requests = new Map(states.map((state, number) => [number, { number, state, entries }]));
    const window = { ...open(100, 200, "a", "b"), requests };
    expect(hasRequestsInDoubt(window)).toBe(isInDoubt);
    const planned = { fromMs: 100, toMs: 200, sources: ["a"], open: window };
    expect(waitsFor(planned, new Set(failed))).toBe(isWaiting);
    expect(waitsFor({ ...planned, open: undefined }, new Set(failed))).toBe(false);
  },
);
