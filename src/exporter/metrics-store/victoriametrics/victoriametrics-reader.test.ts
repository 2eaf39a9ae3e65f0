import fc from "fast-check";
import { expect, test } from "vitest";
import type { Selector } from "../../metricsql/ast/ast.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { endSeconds, exportForm, seconds } from "./victoriametrics-reader.ts";

/** A store's readings of a time, in ms: 1.79 truncates, later versions round. */
function readTimes(text: string): { cut: number; rounded: number } {
  return { cut: Math.trunc(Number(text) * 1e3), rounded: Math.round(Number(text) * 1e3) };
}

const anyMs = fc.integer({ min: 0, max: 8e12 });
const thisEraMs = fc.integer({ min: Date.UTC(2005), max: Date.UTC(2038) });

test("an end is exact to the millisecond, whether the store cuts off or rounds", () => {
  fc.assert(
    fc.property(fc.oneof(anyMs, thisEraMs), (ms) => {
      expect(readTimes(endSeconds(ms))).toEqual({ cut: ms, rounded: ms });
    }),
    { numRuns: 5_000 },
  );
});

test("a start is never late, and exact in these decades", () => {
  fc.assert(
    fc.property(anyMs, thisEraMs, (ms, nowMs) => {
      const { cut, rounded } = readTimes(seconds(ms));
      expect(rounded).toBe(ms);
      expect([ms - 1, ms]).toContain(cut);
      expect(readTimes(seconds(nowMs))).toEqual({ cut: nowMs, rounded: nowMs });
      expect(endSeconds(nowMs)).toBe(seconds(nowMs));
    }),
    { numRuns: 5_000 },
  );
});

test("each alternative is a match[] of its own", () => {
  const selector = parse('up{a="1",c="2" or a="3"}') as Selector;
  const form = exportForm({ kind: "raw", selector, window: { fromMs: 0, toMs: 1 } }, 1_500);
  expect(form.getAll("match[]")).toEqual(['up{a="1",c="2"}', 'up{a="3"}']);
});

test("the window's start is exclusive and its end inclusive; the tenant's value is escaped", () => {
  const form = exportForm(
    {
      kind: "raw",
      selector: parse('up{job=~"a.*"}') as Selector,
      tenant: { label: "project", value: 'a"b\\' },
      window: { fromMs: 999, toMs: 2_000 },
    },
    1_500,
  );
  expect(Object.fromEntries(form)).toEqual({
    "match[]": 'up{job=~"a.*"}',
    start: "1.000",
    end: "2.000",
    timeout: "2s",
    "extra_filters[]": '{project="a\\"b\\\\"}',
  });
});
