import { expect, test } from "vitest";
import { parse } from "../parse/parser.ts";
import { rangeRemarks } from "./range-remarks.ts";

test.each([
  ["running_sum(up)", ["running_sum() looks at the whole range"]],
  ["sum(range_avg(up)) + topk_max(3, up)", ["range_avg()", "topk_max()"]],
  ["up @ end()", ["end()"]],
  ["rand() + up", ["rand() gives another value each time"]],
  ["topk(3, rate(up[5m]))", []],
  ["start", []],
])("%s", (text, expected) => {
  const remarks = rangeRemarks(parse(text));
  expect(remarks).toHaveLength(expected.length);
  for (const [index, part] of expected.entries()) expect(remarks[index]?.message).toContain(part);
});
