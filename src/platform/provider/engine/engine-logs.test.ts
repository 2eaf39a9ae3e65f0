import { expect, test } from "vitest";
import { LogFrames } from "./engine-logs.ts";

const frame = (stream: number, text: string): Buffer => {
  const head = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([head, Buffer.from(text)]);
};

test("frames in pieces of any size are the text of both streams", () => {
  const bytes = Buffer.concat([frame(1, "one\n"), frame(2, ""), frame(2, "two\u00e9\n"), frame(1, "three")]);
  for (let size = 1; size <= bytes.length; size++) {
    const frames = new LogFrames();
    const pieces: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(frames.text(bytes.subarray(at, at + size)));
    expect(Buffer.concat(pieces).toString()).toBe("one\ntwo\u00e9\nthree");
  }
});
