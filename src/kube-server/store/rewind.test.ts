import fc from "fast-check";
import { expect, test } from "vitest";
import { rewind, type StoredItem } from "./rewind.ts";

const items = (...texts: string[]): StoredItem[] => texts.map((text) => ({ key: text[0] ?? "", json: text }));

test.each([
  ["nothing changed", items("a1", "b1"), [], ["a1", "b1"]],
  ["one was created since", items("a1", "b2"), [{ key: "b", json: "" }], ["a1"]],
  ["one was changed since", items("a1", "b2"), [{ key: "b", json: "b1" }], ["a1", "b1"]],
  ["one was deleted since", items("a1", "c1"), [{ key: "b", json: "b1" }], ["a1", "b1", "c1"]],
])("%s", (_name, now, earlier, expected) => {
  expect(rewind(now, earlier).map(({ json }) => json)).toEqual(expected);
});

/** A collection with its past states, to compare them with the rewound ones. */
test("whatever was changed since, the collection shows as it was", () => {
  const change = fc.record({ key: fc.constantFrom(..."abcdefgh"), isDeleted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change), fc.array(change), (before, after) => {
      const state = new Map<string, string>();
      const write = ({ key, isDeleted }: { key: string; isDeleted: boolean }, version: number): void => {
        if (isDeleted) state.delete(key);
        else state.set(key, `${key}${version}`);
      };
      const sorted = () =>
        [...state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, json]) => ({ key, json }));
      before.forEach(write);
      const truth = sorted();
      const undo = new Map<string, string>();
      for (const [index, each] of after.entries()) {
        if (!undo.has(each.key)) undo.set(each.key, state.get(each.key) ?? "");
        write(each, 100 + index);
      }
      const earlier = [...undo].map(([key, json]) => ({ key, json }));
      expect(rewind(sorted(), earlier)).toEqual(truth);
    }),
  );
});
