import { writeSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** A write that takes longer has met a busy disk. */
const quickMs = 20;
/** The following writes then avoid the main thread for this long. */
const cautiousMs = 10_000;

/**
 * Appends to the state log. A synchronous write ends in the page cache and is much cheaper than handing it to
 * another thread (bench/catch-up.ts). A busy disk would block the event loop, though: after a slow write, and
 * while the log is being fsynced, writes go to the thread pool.
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

  /** Resolves when all bytes were passed to the system. @throws the system's error; a part may be written */
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
