import fc from "fast-check";
import { expect, test } from "vitest";
import { rewind, type StoredItem } from "./rewind.ts";

const items = (...texts: string[]): StoredItem[] => texts.map((text) => ({ key: text[0] ?? "", json: text }));

test.each([
  ["nothing changed", items("a1", "b1"), [], "", 0, ["a1", "b1"]],
  ["one was created since", items("a1", "b2"), [{ key: "b", json: "" }], "", 0, ["a1"]],
  ["one was changed since", items("a1", "b2"), [{ key: "b", json: "b1" }], "", 0, ["a1", "b1"]],
  ["one was deleted since", items("a1"), [{ key: "b", json: "b1" }], "", 0, ["a1", "b1"]],
  ["before the part", items("c1"), [{ key: "b", json: "b1" }], "b", 0, ["c1"]],
  ["the limit counts after", items("a1", "c1", "d1"), [{ key: "b", json: "b1" }], "", 2, ["a1", "b1"]],
])("%s", (_name, now, earlier, afterKey, limit, expected) => {
  expect(rewind(now, earlier, afterKey, limit).map(({ json }) => json)).toEqual(expected);
});

/** A collection whose states are kept, so that every rewound part can be held against the truth. */
test("parts of any size show the collection as it was", () => {
  const change = fc.record({ key: fc.constantFrom(..."abcdefgh"), isDeleted: fc.boolean() });
  fc.assert(
    fc.property(
      fc.array(change),
      fc.array(change),
      fc.integer({ min: 1, max: 4 }),
      (before, after, limit) => {
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
        const parts: StoredItem[] = [];
        for (let afterKey = ""; ; ) {
          const now = sorted().filter(({ key }) => key > afterKey);
          const part = rewind(now.slice(0, limit + earlier.length + 1), earlier, afterKey, limit);
          parts.push(...part);
          if (part.length < limit) break;
          afterKey = part.at(-1)?.key ?? "";
        }
        expect(parts).toEqual(truth);
      },
    ),
  );
});
