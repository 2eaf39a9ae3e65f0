import { closeSync, openSync, readSync } from "node:fs";
import { type FileHandle, open, rm, stat, truncate } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import type { LogWriter } from "../state/log-writer.ts";

/** Frame of a record: u32 length of its content, u32 CRC-32 of the content, the content. */
export const frameBytes = 8;
/** A length above this is damage. */
const longestContentBytes = 2 ** 31 - 1;

/** A file of frames, `<number>.log`. It is only open for writing while it is the one that is appended to. */
export class SentSegment {
  readonly number: number;
  readonly path: string;
  /** Unix ms. */
  readonly begunMs: number;
  /** The latest end of its windows (Unix ms). */
  toMs = -Infinity;
  /** Length of the frames that are whole. */
  bytes = 0;
  #file: FileHandle | undefined;

  private constructor(directory: string, number: number, begunMs: number) {
    this.number = number;
    this.path = join(directory, `${number}.log`);
    this.begunMs = begunMs;
  }

  /** Creates a segment, open for writing. @throws the system's error, also if there is one */
  static async begin(directory: string, number: number, nowMs: number): Promise<SentSegment> {
    const segment = new SentSegment(directory, number, nowMs);
    segment.#file = await open(segment.path, "ax", 0o600);
    return segment;
  }

  /**
   * Reads a segment that a former process has written, and cuts off what is not whole.
   *
   * @param onFrame receives each frame's content and its place
   * @returns the segment, and whether it was torn
   */
  static async restore(
    directory: string,
    number: number,
    onFrame: (content: Buffer, offset: number, segment: SentSegment) => void,
  ): Promise<{ segment: SentSegment; isTorn: boolean }> {
    const { size, mtimeMs } = await stat(join(directory, `${number}.log`));
    const segment = new SentSegment(directory, number, mtimeMs);
    const frames = new FrameReader();
    try {
      while (segment.bytes < size) {
        const content = frames.read(segment, segment.bytes);
        if (content === undefined) break;
        onFrame(content, segment.bytes, segment);
        segment.bytes += frameBytes + content.length;
      }
    } finally {
      frames.close();
    }
    // The process was killed in the middle of a write: nothing behind that place was confirmed.
    const isTorn = segment.bytes < size;
    if (isTorn) await truncate(segment.path, segment.bytes);
    return { segment, isTorn };
  }

  /** @throws the system's error; a part may be written, and nothing more is to be appended */
  async append(content: Buffer, writer: LogWriter): Promise<void> {
    if (this.#file === undefined) throw new Error(`${this.path} is not open for writing`);
    const frame = Buffer.allocUnsafe(frameBytes + content.length);
    frame.writeUInt32LE(content.length, 0);
    frame.writeUInt32LE(crc32(content), 4);
    content.copy(frame, frameBytes);
    await writer.write(this.#file, frame);
    this.bytes += frame.length;
  }

  /** Ends writing. An open file would keep its disk from being mounted again. */
  async seal(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
  }

  async remove(): Promise<void> {
    await this.seal();
    await rm(this.path, { force: true });
  }
}

/** Reads frames; keeps the segment of the last one open. */
export class FrameReader {
  #open: { readonly path: string; readonly fd: number } | undefined;

  /** @returns the frame's content; undefined when it is torn, damaged or gone */
  read({ path }: SentSegment, offset: number): Buffer | undefined {
    try {
      const fd = this.#fdOf(path);
      const head = Buffer.alloc(frameBytes);
      if (readSync(fd, head, 0, frameBytes, offset) < frameBytes) return undefined;
      const length = head.readUInt32LE(0);
      if (length === 0 || length > longestContentBytes) return undefined;
      const content = Buffer.allocUnsafe(length);
      if (readSync(fd, content, 0, length, offset + frameBytes) < length) return undefined;
      return crc32(content) === head.readUInt32LE(4) ? content : undefined;
    } catch {
      return undefined;
    }
  }

  close(): void {
    if (this.#open !== undefined) closeSync(this.#open.fd);
    this.#open = undefined;
  }

  #fdOf(path: string): number {
    if (this.#open?.path !== path) {
      this.close();
      this.#open = { path, fd: openSync(path, "r") };
    }
    return this.#open.fd;
  }
}
