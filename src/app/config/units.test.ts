import { expect, expectTypeOf, test } from "vitest";
import { Quantity } from "./sections/fields.ts";
import { withUnits } from "./units.ts";

test("units go into the names, at any depth; what is undefined is absent", () => {
  const value = {
    interval: new Quantity("ms", 5_000),
    rejected: { maxSize: new Quantity("bytes", 64), maxAge: new Quantity("ms", 1) },
    memoryLimit: new Quantity("bytes", 1),
    list: [{ pause: new Quantity("ms", 2), names: ["a"] }],
    none: undefined as string | undefined,
  };
  const converted = withUnits(value);
  expect(converted).toStrictEqual({
    intervalMs: 5_000,
    rejected: { maxBytes: 64, maxAgeMs: 1 },
    memoryLimitBytes: 1,
    list: [{ pauseMs: 2, names: ["a"] }],
  });
  expectTypeOf(converted.intervalMs).toEqualTypeOf<number>();
  expectTypeOf(converted.rejected.maxBytes).toEqualTypeOf<number>();
  expectTypeOf(converted.list[0]!.pauseMs).toEqualTypeOf<number>();
});
