import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeItem } from "../../../test/support/contracts/board.ts";
import { type BacklogItem, type BacklogMeta, contentId, parseBacklog, selectItems } from "./backlog.ts";

const statuses = ["In progress", "Planned", "Backlog"];

describe("selectItems", () => {
  test("keeps the statuses asked for, in their order, then by number", () => {
    const items = [
      makeItem(9, "Backlog"),
      makeItem(2, "Planned"),
      makeItem(7, "Done"),
      makeItem(3, "In progress"),
      makeItem(1, "Planned"),
      makeItem(4, ""),
    ];
    expect(selectItems(items, statuses).map(({ number }) => number)).toEqual([3, 1, 2, 9]);
  });

  test("labels are in order and an item counts once", () => {
    const labels = [
      { name: "b", color: null },
      { name: "a", color: null },
    ];
    const [only, ...others] = selectItems([makeItem(1, "Planned"), makeItem(1, "Planned", labels)], statuses);
    expect(only?.labels.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(others).toEqual([]);
  });

  const anyItem: fc.Arbitrary<BacklogItem> = fc
    .record({ number: fc.nat({ max: 50 }), status: fc.constantFrom(...statuses, "Done") })
    .map(({ number, status }) => makeItem(number, status));

  test("property: the order of the board does not matter, and selecting again changes nothing", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyItem, { selector: (item) => item.url }), fc.nat(), (items, seed) => {
        const shuffled = items.toSorted(
          (a, b) => ((a.number * 31 + seed) % 17) - ((b.number * 31 + seed) % 17),
        );
        const selected = selectItems(items, statuses);
        expect(selectItems(shuffled, statuses)).toEqual(selected);
        expect(selectItems(selected, statuses)).toEqual(selected);
      }),
    );
  });
});

describe("parseBacklog", () => {
  const items = JSON.stringify([makeItem(1)]);
  const meta: BacklogMeta = {
    format: 1,
    updatedAt: 5,
    readAt: 4,
    board: "file:/b",
    boardVersion: "v",
    statuses,
    contentId: contentId(items),
  };

  test("reads back what was written", () => {
    expect(parseBacklog(JSON.stringify(meta), items)).toEqual({ meta, items: [makeItem(1)] });
  });

  test.each([
    ["no JSON", "{", items],
    ["another format", JSON.stringify({ ...meta, format: 2 }), items],
    ["a missing field", JSON.stringify({ ...meta, updatedAt: undefined }), items],
    ["items of another entry", JSON.stringify(meta), "[]"],
    ["items that are none", JSON.stringify({ ...meta, contentId: contentId("[{}]") }), "[{}]"],
    ["no items", JSON.stringify(meta), ""],
  ])("%s is no entry", (_name, metaJson, itemsJson) => {
    expect(parseBacklog(metaJson, itemsJson)).toBeUndefined();
  });

  test("property: never throws", () => {
    fc.assert(fc.property(fc.string(), fc.json(), (a, b) => parseBacklog(a, b) === undefined));
  });
});
