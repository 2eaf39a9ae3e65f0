import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeSentRecord, encodeSentRecord, type SentRecord } from "./sent-record.ts";

const ms = fc.integer({ min: -(2 ** 45), max: 2 ** 45 });
const count = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const counts = fc.array(fc.record({ endMs: ms, samples: count, staleMarkers: count }), { maxLength: 20 });
/** Eight characters of latin1. */
const source = fc
  .uint8Array({ minLength: 8, maxLength: 8 })
  .map((bytes) => Buffer.from(bytes).toString("latin1"));
/** Its bytes are more than its characters. */
const query = fc.option(fc.string({ minLength: 1, maxLength: 20, unit: "binary" }), { nil: undefined });
const record: fc.Arbitrary<SentRecord> = fc.record({
  kind: fc.constantFrom("live", "late"),
  fromMs: ms,
  toMs: ms,
  blockId: count,
  isFirstOfBlock: fc.boolean(),
  ordinal: fc.nat(2 ** 16 - 1),
  blockBaseMs: ms,
  sources: fc.array(fc.record({ source, query, counts }), { maxLength: 5 }),
  body: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

test("what encode writes, decode reads", () => {
  fc.assert(
    fc.property(record, (one) => {
      expect(decodeSentRecord(encodeSentRecord(one))).toEqual(one);
    }),
  );
});

test("the end of its window is where Redis looks for it", () => {
  fc.assert(
    fc.property(record, (one) => {
      expect(encodeSentRecord(one).readDoubleLE(10)).toBe(one.toMs);
    }),
  );
});

test("bytes cut off within its counts are an error, not other counts", () => {
  const one: SentRecord = {
    ...{ kind: "live", fromMs: 1, toMs: 2, blockId: 3, isFirstOfBlock: true, ordinal: 0, blockBaseMs: 1 },
    sources: [{ source: "12345678", query: "up", counts: [{ endMs: 2, samples: 5, staleMarkers: 1 }] }],
    body: Buffer.alloc(0),
  };
  const bytes = encodeSentRecord(one);
  for (let length = 0; length < bytes.length; length++) {
    expect(() => decodeSentRecord(bytes.subarray(0, length)), String(length)).toThrow(RangeError);
  }
});
