import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RequestEntries } from "./request-entries.ts";
import { decodeRecords, encodeRecord, type StateRecord } from "./state-record.ts";

function entriesOf(count: number): RequestEntries {
  const entries = new RequestEntries(0);
  for (let index = 0; index < count; index++) entries.addTimes(index, ~index >>> 0, [index]);
  return entries;
}

const records: StateRecord[] = [
  { type: "version", version: 1 },
  { type: "checkpoint", sink: "directory/default/export/-/vm", source: "ünïcode", ms: 1_700_000_000_123 },
  { type: "checkpoint", sink: "settled", source: "settled", ms: 1 },
  { type: "open", sink: "a/b/c/d/e", id: 7, fromMs: 1, toMs: 2, stepMs: 1, sources: ["x", "y"] },
  { type: "sent", id: 7, number: 1, entries: entriesOf(100) },
  { type: "acknowledged", id: 7, number: 1 },
  { type: "returned", id: 7, number: 2 },
  { type: "close", id: 7, sources: ["x"] },
  { type: "drop", id: 7 },
  { type: "forget", sink: "a/b/c/d/e" },
];
const whole = Buffer.concat(records.map(encodeRecord));

function comparable(record: StateRecord): unknown {
  return record.type === "sent" ? { ...record, entries: record.entries.encode().toString("hex") } : record;
}

test("what is written is read", () => {
  const decoded = decodeRecords(whole);
  expect(decoded.soundBytes).toBe(whole.length);
  expect(decoded.records.map(comparable)).toEqual(records.map(comparable));
});

test("a log cut at any byte gives the records before the cut", () => {
  const ends = records.map((_, index) => Buffer.concat(records.slice(0, index + 1).map(encodeRecord)).length);
  for (let length = 0; length <= whole.length; length++) {
    const decoded = decodeRecords(whole.subarray(0, length));
    const expected = ends.filter((end) => end <= length).length;
    expect(decoded.records.length).toBe(expected);
    expect(decoded.soundBytes).toBe(ends[expected - 1] ?? 0);
  }
});

test("zeros after the last record, as a crash may leave them, end the reading", () => {
  const decoded = decodeRecords(Buffer.concat([whole, Buffer.alloc(64)]));
  expect(decoded.soundBytes).toBe(whole.length);
  expect(decoded.records.length).toBe(records.length);
});

test("a flipped byte ends the reading at its record, and nothing is made up", () => {
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 255 }), (position, change) => {
      const damaged = Buffer.from(whole);
      damaged[position] = (damaged[position] ?? 0) ^ change;
      const decoded = decodeRecords(damaged);
      expect(decoded.soundBytes).toBeLessThanOrEqual(position);
      expect(decoded.records.map(comparable)).toEqual(
        records.slice(0, decoded.records.length).map(comparable),
      );
    }),
  );
});

test("a log of an earlier version is read: its acknowledged requests were `settled`", () => {
  const head = Buffer.from(JSON.stringify({ type: "settled", id: 3, number: 4 }));
  const body = Buffer.alloc(2 + head.length);
  body.writeUInt16LE(head.length, 0);
  head.copy(body, 2);
  const frame = Buffer.alloc(8);
  frame.writeUInt32LE(body.length, 0);
  frame.writeUInt32LE(crc32(body), 4);
  expect(decodeRecords(Buffer.concat([frame, body])).records).toEqual([
    { type: "acknowledged", id: 3, number: 4 },
  ]);
});
