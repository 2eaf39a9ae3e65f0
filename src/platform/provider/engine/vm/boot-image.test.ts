import { expect, test } from "vitest";
import { imageOf, readImage } from "./boot-image.ts";

function qcow2(change: (head: Buffer) => void = () => undefined): Buffer {
  const head = Buffer.alloc(104);
  head.write("QFI\xfb", 0, "latin1");
  head.writeUInt32BE(3, 4);
  head.writeBigUInt64BE(3n * 2n ** 30n, 24);
  change(head);
  return head;
}

test.each<[string, Buffer, number, unknown]>([
  ["raw", Buffer.alloc(104), 1024, { format: "raw", sizeBytes: 1024 }],
  ["a part of a sector", Buffer.alloc(104), 1000, "it is no qcow2, and no raw disk of whole sectors"],
  ["empty", Buffer.alloc(0), 0, "it is no qcow2, and no raw disk of whole sectors"],
  ["qcow2", qcow2(), 65_536, { format: "qcow2", sizeBytes: 3 * 2 ** 30 }],
  ["cut off", qcow2().subarray(0, 80), 80, "its header is not whole"],
  ["version", qcow2((head) => head.writeUInt32BE(4, 4)), 512, "it is qcow2 of version 4, not 2 or 3"],
  [
    "backing file",
    qcow2((head) => head.writeBigUInt64BE(104n, 8)),
    512,
    "it has a backing file: convert it with qemu-img",
  ],
  ["encrypted", qcow2((head) => head.writeUInt32BE(1, 32)), 512, "it is encrypted"],
  ["data file", qcow2((head) => head.writeBigUInt64BE(4n, 72)), 512, "its data are in another file"],
  [
    "no data file in version 2, which has no such field",
    qcow2((head) => head.writeBigUInt64BE(4n, 72) && head.writeUInt32BE(2, 4)),
    512,
    { format: "qcow2", sizeBytes: 3 * 2 ** 30 },
  ],
])("an image: %s", (_, head, fileBytes, expected) => {
  expect(imageOf(head, fileBytes)).toEqual(expected);
});

test("an image that is not there", async () => {
  expect(await readImage("/nowhere/image.qcow2")).toMatch(/ENOENT/);
});
