import { expect, test } from "vitest";
import { configMapKind } from "../kinds/config-map.ts";
import { secretKind } from "../kinds/secret.ts";
import { type GroupKind, hasGeneration, isSameKind, type KindDefinition, storedKind } from "./kind.ts";

const alias: KindDefinition = { ...configMapKind, group: "other.example", storedAs: configMapKind };

test.each<[string, GroupKind, GroupKind, boolean]>([
  ["itself", secretKind, secretKind, true],
  ["by group and kind only", { group: "", kind: "Secret" }, secretKind, true],
  ["another kind", secretKind, configMapKind, false],
  ["another group", { group: "other.example", kind: "Secret" }, secretKind, false],
  ["stored as the other", alias, configMapKind, true],
  ["stored as the same", alias, { ...alias, group: "third.example" }, true],
  ["stored as another", alias, secretKind, false],
])("%s", (_name, left, right, expected) => {
  expect([isSameKind(left, right), isSameKind(right, left)]).toEqual([expected, expected]);
});

test("objects are stored under their own kind unless it is another's", () => {
  expect([storedKind(alias), storedKind(secretKind)]).toEqual([configMapKind, secretKind]);
});

test.each<[string, KindDefinition, boolean]>([
  ["a custom kind", { ...secretKind, builtIn: false }, true],
  ["a built-in kind", secretKind, false],
  ["a built-in kind that has one", { ...secretKind, hasGeneration: true }, true],
])("generation of %s", (_name, kind, expected) => {
  expect(hasGeneration(kind)).toBe(expected);
});
