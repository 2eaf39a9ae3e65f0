import { writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** A write that takes longer has met a disk that is busy. */
const quickMs = 20;
/** The next ones then go where they stop nobody. */
const cautiousMs = 10_000;

/**
 * Appends to the state log. A write ends in the system's memory and takes some microseconds, a tenth of what it costs to
 * hand it to another thread and be told of its end; with a request every few hundred microseconds that was a tenth of a
 * catch-up (bench/catch-up.ts). But one that meets a busy disk would hold up everybody: after such a one, and while the
 * log is being fsynced, they go to the other thread.
 */
export class LogWriter {
  readonly #monotonicMs: () => number;
  readonly #writeNow: (fd: number, bytes: Buffer, at: number) => number;
  #cautiousUntilMs = -Infinity;
  #isSyncing = false;

  constructor(
    monotonicMs: () => number = () => performance.now(),
    writeNow: (fd: number, bytes: Buffer, at: number) => number = writeSync,
  ) {
    this.#monotonicMs = monotonicMs;
    this.#writeNow = writeNow;
  }

  /** Resolves when all of it has been handed to the system. @throws the system's error; a part may be written then */
  async write(file: FileHandle, bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) at += await this.#writeSome(file, bytes, at);
  }

  async sync(file: FileHandle): Promise<void> {
    this.#isSyncing = true;
    try {
      await file.datasync();
    } finally {
      this.#isSyncing = false;
    }
  }

  #writeSome(file: FileHandle, bytes: Buffer, at: number): number | Promise<number> {
    const startMs = this.#monotonicMs();
    if (this.#isSyncing || startMs < this.#cautiousUntilMs) {
      return file.write(bytes, at).then(({ bytesWritten }) => bytesWritten);
    }
    const written = this.#writeNow(file.fd, bytes, at);
    const endMs = this.#monotonicMs();
    if (endMs - startMs > quickMs) this.#cautiousUntilMs = endMs + cautiousMs;
    return written;
  }
}
