import fc from "fast-check";
import { expect, test } from "vitest";
import { copySpan } from "./label-blocks.ts";

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

test("a copy has the span's bytes, and nothing beside it is written", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 100 }),
      fc.nat(20),
      fc.nat(20),
      fc.nat(20),
      (content, before, behind, at) => {
        const memory = Buffer.concat([Buffer.alloc(before, 1), content, Buffer.alloc(behind, 2)]);
        const target = Buffer.alloc(at + content.length + 20, 3);
        copySpan({ view: viewOf(memory), start: before, end: before + content.length }, viewOf(target), at);
        expect(target.equals(Buffer.concat([Buffer.alloc(at, 3), content, Buffer.alloc(20, 3)]))).toBe(true);
      },
    ),
  );
});
