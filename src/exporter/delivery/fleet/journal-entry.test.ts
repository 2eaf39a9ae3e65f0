import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestEntries } from "../state/request-entries.ts";
import { decodeEntry, encodeEntry, type JournalEntry, requestsOf } from "./journal-entry.ts";

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const entries = fc
  .tuple(fc.integer({ min: 0, max: 2 ** 43 }), fc.array(fc.tuple(u32, u32, u32)))
  .map(([baseMs, list]) => {
    const made = new RequestEntries(baseMs);
    for (const [high, low, afterMs] of list) made.addTimes(high, low, [baseMs + afterMs]);
    return made;
  });

test("an entry is read as it was written", () => {
  fc.assert(
    fc.property(u32, entries, fc.constantFrom("sent", "acknowledged", "returned"), (number, held, type) => {
      const entry: JournalEntry = type === "sent" ? { type, number, entries: held } : { type, number };
      const read = decodeEntry(encodeEntry(entry));
      expect({ ...read, entries: undefined }).toEqual({ ...entry, entries: undefined });
      if (read.type === "sent") expect(read.entries.encode()).toEqual(held.encode());
    }),
  );
});

test("what is no entry is refused", () => {
  expect(() => decodeEntry(Buffer.from([9, 0, 0, 0, 0]))).toThrow(RangeError);
  expect(() => decodeEntry(Buffer.from([0, 0]))).toThrow(RangeError);
});

describe("the requests of a journal", () => {
  const sent = (number: number): JournalEntry => ({ type: "sent", number, entries: new RequestEntries(0) });
  const acknowledged = (number: number): JournalEntry => ({ type: "acknowledged", number });
  const returned = (number: number): JournalEntry => ({ type: "returned", number });

  test.each<[string, JournalEntry[], [number, string][]]>([
    ["none", [], []],
    ["on its way", [sent(1)], [[1, "sent"]]],
    ["with its response", [sent(1), acknowledged(1)], [[1, "acknowledged"]]],
    ["not arrived", [sent(1), returned(1)], []],
    ["sent again under the same number", [sent(1), returned(1), sent(1)], [[1, "sent"]]],
    ["an entry written twice", [sent(1), sent(1), acknowledged(1), acknowledged(1)], [[1, "acknowledged"]]],
    ["an entry that comes late", [sent(1), acknowledged(1), sent(1), returned(1)], [[1, "acknowledged"]]],
    ["a reply to nothing known", [acknowledged(4)], []],
  ])("%s", (_, journal, expected) => {
    const requests = requestsOf(journal.map(encodeEntry));
    expect([...requests].map(([number, { state }]) => [number, state])).toEqual(expected);
  });
});
