import { expect, test } from "vitest";
import { parse } from "../../../exporter/metricsql/parse/parser.ts";
import { print } from "../../../exporter/metricsql/print/printer.ts";
import { commonSelector } from "./common-selector.ts";

test.each([
  ["a", "b", "nothing"],
  ["a", 'a{y="2"}', 'a{__name__="a",y="2"}'],
  ['{x=~"1.*" or y="2"}', '{z="3"}', '{x=~"1.*",z="3" or y="2",z="3"}'],
  ['a{x="1"}', 'a{ x = "1" }', "same"],
  ["sum(a)", "sum( a )", "same"],
  ["sum(a)", "sum(b)", "nothing"],
  ["a", "sum(a)", "nothing"],
  [`{${Array.from({ length: 65 }, (_, n) => `x="${n}"`).join(" or ")}}`, "a", "nothing"],
])("what %s and %s have in common", (a, b, expected) => {
  const found = commonSelector(a, b);
  if (typeof found === "string") expect(found).toBe(expected);
  else expect(print(parse(found.selector))).toBe(print(parse(expected)));
});
