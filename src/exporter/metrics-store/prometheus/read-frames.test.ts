import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeFrame } from "../../../../test/support/store/remote-read-response.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { FrameDecoder, maxFrameBytes } from "./read-frames.ts";

function decode(pieces: readonly Buffer[]): { frames: string[]; rest: Buffer } {
  const frames: string[] = [];
  const decoder = new FrameDecoder((bytes, _view, start, end) => {
    frames.push(bytes.toString("hex", start, end));
    return undefined;
  });
  for (const piece of pieces) {
    // Like a socket: the memory is reused for the next piece.
    const reused = Buffer.from(piece);
    void decoder.push(reused);
    reused.fill(0xee);
  }
  return { frames, rest: Buffer.from(decoder.rest) };
}

describe("the frames of a stream", () => {
  test("come out one by one where the receiver takes long", async () => {
    const contents = ["one", "", "three".repeat(100)];
    const body = Buffer.concat(contents.map((content) => encodeFrame(Buffer.from(content))));
    for (let at = 0; at <= body.length; at++) {
      const frames: string[] = [];
      let isWaiting = false;
      const decoder = new FrameDecoder(async (bytes, _view, start, end) => {
        expect(isWaiting).toBe(false);
        frames.push(bytes.toString("utf8", start, end));
        isWaiting = true;
        await Promise.resolve();
        isWaiting = false;
      });
      for (const piece of [body.subarray(0, at), body.subarray(at)]) {
        const reused = Buffer.from(piece);
        const pushed = decoder.push(reused);
        reused.fill(0xee);
        await pushed;
      }
      expect(frames, `cut at ${at}`).toEqual(contents);
      expect(decoder.rest).toHaveLength(0);
    }
  });

  test("come out whole, however the body is cut", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.uint8Array({ minLength: 100, maxLength: 300 })),
        ),
        fc.array(fc.nat()),
        (contents, cuts) => {
          const body = Buffer.concat(contents.map((content) => encodeFrame(Buffer.from(content))));
          const places = [
            0,
            ...cuts.map((cut) => cut % (body.length + 1)).sort((a, b) => a - b),
            body.length,
          ];
          const pieces = places.slice(1).map((end, index) => body.subarray(places[index]!, end));
          const { frames, rest } = decode(pieces);
          expect(frames).toEqual(contents.map((content) => Buffer.from(content).toString("hex")));
          expect(rest).toHaveLength(0);
        },
      ),
    );
  });

  test("a frame that has not ended is left", () => {
    const frame = encodeFrame(Buffer.from("abcdef"));
    for (let length = 1; length < frame.length; length++) {
      expect(decode([frame, frame.subarray(0, length)])).toEqual({
        frames: [Buffer.from("abcdef").toString("hex")],
        rest: frame.subarray(0, length),
      });
    }
  });

  test("a byte that was changed is noticed", () => {
    const frame = encodeFrame(Buffer.from("abcdef"));
    for (let at = 1; at < frame.length; at++) {
      const changed = Buffer.from(frame);
      changed[at]! ^= 0x10;
      expect(() => decode([changed])).toThrow(MalformedMessage);
    }
  });

  test("a size beyond the limit is rejected before anything is kept", () => {
    const size = Buffer.alloc(5);
    let rest = maxFrameBytes + 1;
    for (let index = 0; index < 5; index++, rest = Math.floor(rest / 128))
      size[index] = (rest & 127) | (index < 4 ? 128 : 0);
    expect(() => decode([size])).toThrow(/longer than/);
    expect(() => decode([Buffer.alloc(6, 0xff)])).toThrow(/longer than/);
  });
});
