import { expect, test } from "vitest";
import { environment } from "./environment.ts";

const of = (...values: string[]): Record<string, string> => {
  const env = values.map((value, index) => ({ name: `V${index}`, value }));
  return environment({} as never, { env }, () => undefined, new Set());
};

test.each([
  [["a", "$(V0)-x"], "a-x"],
  [["a", "$(V0)$(V0)"], "aa"],
  [["a", "$$(V0)"], "$(V0)"],
  [["a", "$$$(V0)"], "$a"],
  [["a", "$(V2)$(V1)$(", "later"], "$(V2)$(V1)$("],
  [["$(V1)", "$(V0)"], "$(V1)"],
  [["a", "$V0 $"], "$V0 $"],
])("variables in values: %j", (values, expected) => {
  expect(of(...values)["V1"]).toBe(expected);
});

test("variables that double with each other end", () => {
  const values = of(
    "x".repeat(1_000),
    ...Array.from({ length: 60 }, (_, index) => `$(V${index})$(V${index})`),
  );
  const length = Object.values(values).reduce((sum, value) => sum + value.length, 0);
  expect(length).toBeLessThan(2 ** 21);
});
