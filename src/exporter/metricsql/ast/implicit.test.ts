import { describe, expect, it } from "vitest";
import { parse } from "../parse/parser.ts";
import { print } from "../print/printer.ts";
import { explicit } from "./implicit.ts";

describe("explicit", () => {
  it.each([
    ["m", "default_rollup(m)"],
    ["m[5m] offset 1h", "default_rollup(m[5m] offset 1h)"],
    ["a + b", "default_rollup(a) + default_rollup(b)"],
    ["count(up)", "count(default_rollup(up))"],
    ["abs(m)", "abs(default_rollup(m))"],
    ["rate(m)", "rate(m)"],
    ["rate(m[5m])", "rate(m[5m])"],
    ["rate(sum(m))", "rate(sum(default_rollup(m))[1i:1i])"],
    ["max_over_time(rate(m[5m])[1h])", "max_over_time(rate(m[5m])[1h:1i])"],
    ["rate(m[:3s])", "rate(default_rollup(m)[1i:3s])"],
    ["quantile_over_time(0.5, m)", "quantile_over_time(0.5, m)"],
    [
      "quantiles_over_time('p', 0.5, m + n)",
      'quantiles_over_time("p", 0.5, (default_rollup(m) + default_rollup(n))[1i:1i])',
    ],
    ["(a, 1, 'x')", '(default_rollup(a), 1, "x")'],
    ["sum(m) offset 5m", "sum(default_rollup(m)) offset 5m"],
    ["m @ n", "default_rollup(m @ default_rollup(n))"],
  ])("%s", (query, written) => {
    expect(print(explicit(parse(query)))).toBe(written);
  });
});
