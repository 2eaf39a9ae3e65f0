import { expect, test } from "vitest";
import { metricNameOf } from "./metric-name.ts";

test.each([
  ["gateway-rps", "gateway_rps"],
  ["gateway_rps", "gateway_rps"],
  ["a.b-c", "a_b_c"],
  ["5xx", "_xx"],
  ["é😀", "__"],
])("%s: %s", (source, metric) => {
  expect(metricNameOf(source)).toBe(metric);
});
