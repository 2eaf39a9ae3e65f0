import fc from "fast-check";
import protobuf from "protobufjs/minimal.js";
import { expect, test } from "vitest";
import { int64Size, varintSize, WireReader, writeInt64, writeVarint } from "./wire.ts";

test("varints are those of protobufjs", () => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.nat({ max: 300 })), (value) => {
      const out = Buffer.alloc(5);
      const end = writeVarint(out, value, 0);
      expect(out.subarray(0, end)).toEqual(Buffer.from(protobuf.Writer.create().uint32(value).finish()));
      expect(varintSize(value)).toBe(end);
      expect(new WireReader(out, 0, end).varint()).toBe(value);
    }),
  );
});

test("int64s are those of protobufjs, up to what a double holds", () => {
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeInteger(), fc.integer()), (value) => {
      const out = Buffer.alloc(10);
      const end = writeInt64(out, value, 0);
      expect(out.subarray(0, end)).toEqual(Buffer.from(protobuf.Writer.create().int64(value).finish()));
      expect(int64Size(value)).toBe(end);
      expect(new WireReader(out, 0, end).int64()).toBe(value);
    }),
  );
});

test.each([
  ["a varint", (reader: WireReader) => reader.varint(), [0x80]],
  ["an int64", (reader: WireReader) => reader.int64(), [0xff, 0xff]],
  ["a message", (reader: WireReader) => reader.message(), [0x05, 1, 2]],
  ["a fixed64", (reader: WireReader) => reader.skip(1), [1, 2]],
  ["an unknown type", (reader: WireReader) => reader.skip(3), [1, 2]],
])("%s that is cut off is a fault, not an endless loop", (_, read, bytes) => {
  expect(() => read(new WireReader(Buffer.from(bytes)))).toThrow(RangeError);
});
