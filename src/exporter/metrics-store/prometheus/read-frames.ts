import { crc32c } from "./crc32c.ts";
import { MalformedMessage } from "./message-cursor.ts";

/**
 * Above the 50 MB limit of Prometheus' own client. Its server cuts frames at 1 MB, or after the series that
 * exceeds it.
 */
export const maxFrameBytes = 64 * 2 ** 20;

const checksumBytes = 4;
/** Maximum bytes of the size, a varint; a longer one exceeds `maxFrameBytes`. */
const maxSizeBytes = 5;

/**
 * Receives the data of a frame; `view` is of the same memory as `bytes`, which is valid until it returns.
 *
 * @returns a promise, until which no other frame is passed
 */
type FrameReceiver = (bytes: Buffer, view: DataView, start: number, end: number) => Promise<void> | undefined;

/**
 * Splits the body of a streamed remote read into its frames, as it arrives (storage/remote/chunked.go): the
 * size of the data as a varint, its CRC-32C in four bytes, big-endian, and the data.
 *
 * `push` accepts any split of the body and calls `onFrame` for each frame that ends in it; the bytes are
 * valid until it returns. Only a frame that is split is copied.
 */
export class FrameDecoder {
  readonly #onFrame: FrameReceiver;
  #carry = Buffer.allocUnsafeSlow(4_096);
  #carryView = viewOf(this.#carry);
  #carried = 0;

  constructor(onFrame: FrameReceiver) {
    this.#onFrame = onFrame;
  }

  /** The received part of an incomplete frame; empty after a whole body. */
  get rest(): Buffer {
    return this.#carry.subarray(0, this.#carried);
  }

  /**
   * @returns a promise where `onFrame` returned one: wait for it before the next push
   * @throws MalformedMessage, and the errors of `onFrame`, also in the promise
   */
  push(chunk: Buffer): Promise<void> | undefined {
    // One view for all frames in the chunk: Prometheus makes a frame of each series.
    const view = viewOf(chunk);
    let at = 0;
    while (at < chunk.length) {
      if (this.#carried === 0) {
        const frame = frameAt(chunk, at, chunk.length);
        if (frame !== undefined && frame.end <= chunk.length) {
          const waiting = this.#take(chunk, view, frame);
          at = frame.end;
          if (waiting !== undefined) return this.#pushLater(waiting, chunk.subarray(at));
          continue;
        }
      }
      // Byte by byte until the size is known, then the rest of the frame at once.
      const known = frameAt(this.#carry, 0, this.#carried);
      const wanted = known === undefined ? 1 : known.end - this.#carried;
      at += this.#keep(chunk, at, Math.min(wanted, chunk.length - at));
      const frame = frameAt(this.#carry, 0, this.#carried);
      if (frame !== undefined && frame.end === this.#carried) {
        const waiting = this.#take(this.#carry, this.#carryView, frame);
        this.#carried = 0;
        if (waiting !== undefined) return this.#pushLater(waiting, chunk.subarray(at));
      }
    }
    return undefined;
  }

  async #pushLater(waiting: Promise<void>, rest: Buffer): Promise<void> {
    // A copy: the memory is reused once `push` returns.
    const copy = Buffer.from(rest);
    await waiting;
    await this.push(copy);
  }

  #take(bytes: Buffer, view: DataView, { start, end }: Frame): Promise<void> | undefined {
    if (crc32c(bytes, start, end) !== view.getUint32(start - checksumBytes)) {
      throw new MalformedMessage("a frame's checksum is wrong");
    }
    return this.#onFrame(bytes, view, start, end);
  }

  #keep(chunk: Buffer, at: number, length: number): number {
    const needed = this.#carried + length;
    if (needed > this.#carry.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#carry.length * 2));
      this.#carry.copy(larger, 0, 0, this.#carried);
      this.#carry = larger;
      this.#carryView = viewOf(larger);
    }
    chunk.copy(this.#carry, this.#carried, at, at + length);
    this.#carried = needed;
    return length;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

interface Frame {
  /** Offset of the data; the checksum precedes it. */
  readonly start: number;
  readonly end: number;
}

/**
 * The span of the data of the frame that begins at `at`; its end may exceed `limit`.
 *
 * @returns undefined before the size has arrived
 */
function frameAt(bytes: Buffer, at: number, limit: number): Frame | undefined {
  let size = 0;
  for (let index = 0; index < maxSizeBytes; index++) {
    if (at + index >= limit) return undefined;
    const byte = bytes[at + index] as number;
    size += (byte & 127) * 128 ** index;
    if (byte >= 128) continue;
    if (size > maxFrameBytes) break;
    const start = at + index + 1 + checksumBytes;
    return { start, end: start + size };
  }
  throw new MalformedMessage(`a frame is longer than ${maxFrameBytes} bytes`);
}
