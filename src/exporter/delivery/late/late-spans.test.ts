import { expect, test } from "vitest";
import type { PlannedWindow } from "../state/planned-window.ts";
import { LateSpans } from "./late-spans.ts";

const none: ReadonlySet<string> = new Set();

function spanOf(source: string, fromMs: number): PlannedWindow {
  return { fromMs, toMs: fromMs + 10, sources: [source], open: undefined };
}

function spansOf(...spans: readonly [source: string, fromMs: number][]): LateSpans {
  const late = new LateSpans();
  for (const [source, fromMs] of spans) late.found(source, Infinity, [spanOf(source, fromMs)]);
  return late;
}

/** Hands out the spans that can be read, each of which is read to its end. */
function rest(late: LateSpans, failed = none): string[] {
  const found: string[] = [];
  for (let span = late.next(failed); span !== undefined; span = late.next(failed)) {
    found.push(`${span.sources.join()} ${span.fromMs}`);
    late.ended(span);
  }
  return found;
}

test("the oldest span goes first, and those of failed sources stay", () => {
  const late = spansOf(["a", 20], ["b", 10], ["a", 0]);
  expect(rest(late, new Set(["b"]))).toEqual(["a 0", "a 20"]);
  expect(rest(late)).toEqual(["b 10"]);
});

test("what a check has found replaces what was planned of its source from there on", () => {
  const late = spansOf(["a", 0], ["a", 20], ["b", 20]);
  late.found("a", 10, [spanOf("a", 30)]);
  expect(rest(late)).toEqual(["a 0", "b 20", "a 30"]);
});

test("the spans of edited sources are dropped, also the one that runs and those that wait", async () => {
  const late = spansOf(["a", 0], ["a", 10], ["b", 20]);
  late.next(none);
  await late.putBack(async () => false);
  late.next(none);
  expect(late.sources()).toEqual(["b", "a", "a"]);
  late.drop(new Set(["a"]));
  expect(late.sources()).toEqual(["b"]);
});

test.each([
  { isNext: true, now: ["a 0", "b 10"], afterwards: [] },
  { isNext: false, now: ["b 10"], afterwards: ["a 0"] },
])("a span put back is next: $isNext; otherwise it waits for a check", async (expected) => {
  const late = spansOf(["a", 0], ["b", 10]);
  late.next(none);
  await late.putBack(async () => expected.isNext);
  await late.putBack(async () => true);
  expect(rest(late)).toEqual(expected.now);
  late.beginCheck(5);
  expect(rest(late)).toEqual(expected.afterwards);
});

test("a check forgets what is too old", () => {
  const late = spansOf(["a", 0], ["a", 10]);
  late.beginCheck(10);
  expect(rest(late)).toEqual(["a 10"]);
});
