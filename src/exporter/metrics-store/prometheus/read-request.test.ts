import fc from "fast-check";
import { expect, test } from "vitest";
import { remoteRead } from "../../../../test/support/receiver/protocol.ts";
import type { FilterOp, Selector } from "../../metricsql/ast/ast.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { encodeReadRequest } from "./read-request.ts";

function decoded(selector: string | Selector, fromMs: number, toMs: number) {
  const expr = typeof selector === "string" ? (parse(selector) as Selector) : selector;
  const message = remoteRead.ReadRequest.decode(encodeReadRequest(expr, { fromMs, toMs }));
  return remoteRead.ReadRequest.toObject(message, { defaults: true, enums: String, longs: Number });
}

test("a selector is one query, its window closed at both ends, and chunks are asked for first", () => {
  expect(decoded('up{job="web",code=~"5..",a!="b",c!~"d|e"}', 1_000, 2_000)).toEqual({
    queries: [
      {
        startTimestampMs: 1_001,
        endTimestampMs: 2_000,
        matchers: [
          { type: "EQ", name: "__name__", value: "up" },
          { type: "EQ", name: "job", value: "web" },
          { type: "RE", name: "code", value: "5.." },
          { type: "NEQ", name: "a", value: "b" },
          { type: "NRE", name: "c", value: "d|e" },
        ],
      },
    ],
    acceptedResponseTypes: ["STREAMED_XOR_CHUNKS", "SAMPLES"],
  });
});

test("alternatives are queries; one without filters still matches every series", () => {
  expect(decoded('{a="b" or c=~"d"}', 0, 1).queries).toHaveLength(2);
  expect(decoded("{}", 0, 1).queries[0]?.matchers).toEqual([{ type: "NEQ", name: "__name__", value: "" }]);
});

test("whatever is encoded is decoded by the reference", () => {
  const types = { "=": "EQ", "!=": "NEQ", "=~": "RE", "!~": "NRE" };
  const filter = fc.record({
    label: fc.string({ unit: "grapheme", minLength: 1 }),
    op: fc.constantFrom<FilterOp>("=", "!=", "=~", "!~"),
    value: fc.string({ unit: "grapheme" }),
  });
  const groups = fc.array(fc.array(filter, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(groups, fc.maxSafeInteger(), fc.maxSafeInteger(), (alternatives, fromMs, toMs) => {
      fc.pre(fromMs < Number.MAX_SAFE_INTEGER);
      expect(decoded({ type: "selector", groups: alternatives, pos: 0 }, fromMs, toMs).queries).toEqual(
        alternatives.map((group) => ({
          startTimestampMs: fromMs + 1,
          endTimestampMs: toMs,
          matchers: group.map(({ label, op, value }) => ({ type: types[op], name: label, value })),
        })),
      );
    }),
  );
});
