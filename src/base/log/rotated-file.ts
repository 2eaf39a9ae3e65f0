import { constants } from "node:fs";
import { type FileHandle, open, rename, stat, unlink } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../core/clock.ts";
import { describeError } from "../core/errors.ts";
import { logErrors, runLoop, Wakeup } from "../core/loop.ts";
import { makeDirectory } from "../core/make-directory.ts";
import type { Service } from "../core/service.ts";
import type { Logger } from "./log.ts";

export interface RotatedFileOptions {
  readonly path: string;
  /** A file is renamed to `<path>.1` before it grows beyond this. */
  readonly maxBytes: number;
  /** Files in all: `<path>`, `<path>.1` (newer) to `<path>.<maxFiles - 1>` (older). At least 2. */
  readonly maxFiles: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** Bytes that wait to be written; default 8 MiB. */
  readonly maxQueuedBytes?: number;
}

const writeBytes = 256 * 1024;
/** Lines of so long are written together. */
const gatherMs = 100;
const retryMs = 1_000;
const idleMs = 60_000;
const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK;

/**
 * A file of lines that is rotated by size, readable by its owner only. Lines are queued and written in the
 * background: nobody waits for the disk. What cannot be written is kept and tried again; when the queue is
 * full, new lines are refused. A file that was moved or removed is created again.
 */
export class RotatedFile implements Service {
  readonly name = "rotated-file";
  readonly #options: RotatedFileOptions;
  readonly #wakeup = new Wakeup();
  #queue: string[] = [];
  #queuedBytes = 0;
  #handle: FileHandle | undefined;
  #size = 0;
  #problem: string | undefined;

  constructor(options: RotatedFileOptions) {
    this.#options = options;
  }

  /** Why lines cannot be written; undefined if they can. */
  problem(): string | undefined {
    return this.#problem;
  }

  /**
   * Queues a line.
   *
   * @param line ASCII, with its line break
   * @returns false if the queue is full: the line is lost
   */
  add(line: string): boolean {
    if (this.#queuedBytes + line.length > (this.#options.maxQueuedBytes ?? 8 * 2 ** 20)) return false;
    this.#queue.push(line);
    this.#queuedBytes += line.length;
    if (this.#queue.length === 1) this.#wakeup.wake();
    return true;
  }

  /** Writes until the signal aborts, and then what is queued. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const options = { clock, pauseAfterErrorMs: retryMs, onError: logErrors(this.name, log) };
    const tick = () => this.#writeAll();
    try {
      await runLoop(tick, { ...options, wakeup: this.#wakeup, settleMs: gatherMs }, signal);
      await this.#writeAll();
    } finally {
      await this.#close();
    }
  }

  /** @returns ms until the next turn */
  async #writeAll(): Promise<number> {
    try {
      // Lines that come meanwhile wait for the next turn: written one by one, they would cost more.
      for (let left = this.#queue.length; left > 0; ) left -= await this.#writeSome(left);
    } catch (error) {
      await this.#close();
      const reason = describeError(error);
      if (this.#problem === undefined)
        this.#options.log.error({ file: this.#options.path, error: reason }, "the file cannot be written");
      this.#problem = `${this.#options.path} cannot be written: ${reason}`;
      return retryMs;
    }
    if (this.#problem !== undefined) this.#options.log.info({ file: this.#options.path }, "written again");
    this.#problem = undefined;
    return this.#queue.length > 0 ? gatherMs : idleMs;
  }

  /** Writes some of the first lines, `most` at most. @returns how many */
  async #writeSome(most: number): Promise<number> {
    let [count, length] = [0, 0];
    while (count < most && (count === 0 || length < writeBytes)) length += this.#queue[count++]?.length ?? 0;
    const handle = await this.#opened(length);
    const lines = Buffer.from(this.#queue.slice(0, count).join(""), "latin1");
    let written = 0;
    try {
      // One write, unless the disk is full: what other processes append does not come between.
      while (written < length) written += (await handle.write(lines, written)).bytesWritten;
    } catch (error) {
      await this.#withdraw(handle, written).catch(() => undefined);
      throw error;
    }
    this.#size += length;
    this.#queue.splice(0, count);
    this.#queuedBytes -= length;
    return count;
  }

  /** Removes what a failed write has left: the repeat would follow the half of a line. */
  async #withdraw(handle: FileHandle, written: number): Promise<void> {
    const { size } = await handle.stat();
    // Otherwise another process has appended to it.
    if (size === this.#size + written) await handle.truncate(this.#size);
  }

  /** The file with room for `length` bytes. */
  async #opened(length: number): Promise<FileHandle> {
    const { path, maxBytes } = this.#options;
    const isThere = await this.#isStillThere();
    if (isThere && this.#size > 0 && this.#size + length > maxBytes) {
      await this.#close();
      await this.#rotate();
    } else if (!isThere) await this.#close();
    if (this.#handle !== undefined) return this.#handle;
    await makeDirectory(dirname(path));
    const handle = await open(path, flags, 0o600);
    try {
      const found = await handle.stat();
      if (!found.isFile()) throw new Error("it is not a regular file");
      if ((found.mode & 0o777) !== 0o600) await handle.chmod(0o600);
      this.#size = found.size;
    } catch (error) {
      await handle.close();
      throw error;
    }
    this.#handle = handle;
    return this.#size > 0 && this.#size + length > maxBytes ? await this.#opened(length) : handle;
  }

  async #isStillThere(): Promise<boolean> {
    if (this.#handle === undefined) return false;
    const [ours, named] = await Promise.all([
      this.#handle.stat(),
      stat(this.#options.path).catch(() => undefined),
    ]);
    // Commands append to it, too: see `appendLine`.
    this.#size = ours.size;
    return named?.ino === ours.ino && named.dev === ours.dev;
  }

  async #rotate(): Promise<void> {
    const { path, maxFiles } = this.#options;
    // After the number of files was lowered, there are older ones.
    for (let index = maxFiles; await isRemoved(`${path}.${index}`); ) index++;
    for (let index = maxFiles - 2; index >= 1; index--)
      await rename(`${path}.${index}`, `${path}.${index + 1}`).catch(ignoreMissing);
    await rename(path, `${path}.1`);
  }

  async #close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close().catch(() => undefined);
  }
}

async function isRemoved(path: string): Promise<boolean> {
  return await unlink(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
