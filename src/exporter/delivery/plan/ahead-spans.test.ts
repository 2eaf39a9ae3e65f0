import { describe, expect, test } from "vitest";
import { aheadSpans, newSpanStart, sourceOf, startOf } from "./ahead-spans.ts";

describe("where a new span begins", () => {
  const untouched = { fromMs: 10, toMs: 10 };
  test.each([
    ["not far behind", { checkpointMs: 80 }, undefined],
    ["far behind", { checkpointMs: 79 }, 90],
    ["a span that has moved stays", { checkpointMs: 0, span: { fromMs: 10, toMs: 20 } }, undefined],
    ["so does one acknowledged in part", { checkpointMs: 0, span: untouched, hasSpanBegun: true }, undefined],
    ["one of which nothing was acknowledged follows", { checkpointMs: 0, span: untouched }, 90],
    ["but not at each step", { checkpointMs: 0, span: { fromMs: 80, toMs: 80 } }, undefined],
    ["open windows are run first", { checkpointMs: 0, openToMs: 95 }, 95],
    ["on the grid", { checkpointMs: 0, gridMs: 8 }, 96],
    ["an open window up to the watermark", { checkpointMs: 0, openToMs: 100 }, undefined],
  ] as const)("%s", (_, backlog, expected) => {
    expect(newSpanStart({ watermarkMs: 100, ...backlog }, 10)).toBe(expected);
  });
});

test.each([
  ["none", {}, 10, undefined],
  ["begun", { a: 50, [startOf("a")]: 50 }, 10, { fromMs: 50, toMs: 50 }],
  ["extended", { a: 70, [startOf("a")]: 50 }, 10, { fromMs: 50, toMs: 70 }],
  ["reached", { a: 70, [startOf("a")]: 50 }, 50, { fromMs: 50, toMs: 70 }],
  ["reached before anything of it was closed", { a: 50, [startOf("a")]: 50 }, 50, { fromMs: 50, toMs: 50 }],
  ["reached in full", { a: 70, [startOf("a")]: 50 }, 70, { fromMs: 50, toMs: 70 }],
  ["passed", { a: 70, [startOf("a")]: 50 }, 71, undefined],
  ["the end of an earlier one", { a: 40, [startOf("a")]: 50 }, 10, undefined],
  ["without a start", { a: 70 }, 10, undefined],
  ["without an end", { [startOf("a")]: 50 }, 10, undefined],
])("spans: %s", (_, checkpoints, checkpointMs, expected) => {
  const state = (entries: object) => {
    return { checkpoints: new Map<string, number>(Object.entries(entries)), windows: [] };
  };
  const spans = aheadSpans({ main: state({ a: checkpointMs }), ahead: state(checkpoints) });
  expect([...spans]).toEqual(expected === undefined ? [] : [["a", expected]]);
});

test("the start of a span has a name that no source has", () => {
  expect([sourceOf(startOf("a")), sourceOf("a")]).toEqual(["a", "a"]);
  expect(startOf("a")).not.toMatch(/^[-a-z0-9]+$/);
});
