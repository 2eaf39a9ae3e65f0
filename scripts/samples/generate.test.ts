import { expect, it } from "vitest";
import { valueAt } from "./generate.ts";

it("never gives -0, of which VictoriaMetrics keeps no sign", () => {
  const beganMs = Date.parse("2026-11-22T11:24:51.000Z");
  const values = Array.from({ length: 3_600 }, (_, second) => valueAt(1_803, beganMs + second * 1_000));
  expect(values[0]).toBe(0);
  expect(values.filter((value) => Object.is(value, -0))).toEqual([]);
});
