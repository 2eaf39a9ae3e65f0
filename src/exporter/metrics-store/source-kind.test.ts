import { expect, test } from "vitest";
import { sourceKind } from "./source-kind.ts";

test.each([
  ["up", "raw"],
  ['{a="b" or c="d"}', "raw"],
  ['WITH (x = {a="b"}) x', "raw"],
  ["(up)", "raw"],
  ["up[5m]", "expression"],
  ["up offset 5m", "expression"],
  ["sum(up) by (job)", "expression"],
  ["1", "expression"],
  ["sum(", "raw"],
] as const)("%s: %s", (text, kind) => {
  expect(sourceKind(text)).toBe(kind);
});
