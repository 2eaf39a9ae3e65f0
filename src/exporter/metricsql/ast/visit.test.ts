import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { print } from "../print/printer.ts";
import { kind } from "./kind.ts";
import { children, rewrite, walk } from "./visit.ts";

const query = "sum(rate(m[5m] @ n)) + (a, 1) * 2h - 'x'";

describe("walk", () => {
  it("visits a node before its parts, from left to right", () => {
    const seen: string[] = [];
    walk(parse(query), (node) => seen.push(node.type));
    expect(seen.join(" ")).toBe(
      "binary binary aggregate call rollup selector selector binary union selector number duration string",
    );
  });
});

describe("rewrite", () => {
  it("replaces parts before the whole, and shares what is not changed", () => {
    const expr = parse(query);
    const renamed = rewrite(expr, (node) =>
      node.type === "selector" ? { ...node, groups: [[{ label: "__name__", op: "=", value: "z" }]] } : node,
    );
    expect(print(renamed)).toBe('sum(rate(z[5m] @ z)) + ((z, 1) * 2h) - "x"');
    expect(print(expr)).toBe('sum(rate(m[5m] @ n)) + ((a, 1) * 2h) - "x"');
    expect(children(renamed)[1]).toBe(children(expr)[1]);
  });
});

describe("kind", () => {
  it.each<[string, "selector" | "expression"]>([
    ["m", "selector"],
    ['{a="b" or c="d"}', "selector"],
    ["(m)", "selector"],
    ["WITH (x = m) x{a='b'}", "selector"],
    ["m[$__interval]", "selector"],
    ["m[5m]", "expression"],
    ["m offset 5m", "expression"],
    ["m @ 5", "expression"],
    ["rate(m)", "expression"],
    ["m + 1", "expression"],
    ["5", "expression"],
    ["(a, b)", "expression"],
  ])("%s", (query, expected) => {
    expect(kind(parse(query))).toBe(expected);
  });
});
