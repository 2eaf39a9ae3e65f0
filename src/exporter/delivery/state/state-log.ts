import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import { checkFormat } from "../../../base/core/format-version.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import { syncDirectory } from "../../../base/core/replace-file.ts";
import type { Logger } from "../../../base/log/log.ts";
import { LogWriter } from "./log-writer.ts";
import { SinkStates } from "./sink-states.ts";
import { decodeRecords, encodeRecord, type StateRecord, stateVersion } from "./state-record.ts";

const logName = "state.log";
const compactAboveBytes = 4 * 2 ** 20;
/** The log is compacted when it has grown to this multiple of its size after the last compaction. */
const compactAtGrowth = 4;
const fsyncEveryMs = 1_000;
const retryEveryMs = 5_000;

interface StateLogOptions {
  readonly directory: string;
  readonly log: Logger;
}

/**
 * The state of all sinks in an append-only log, `state.log` in the state directory.
 *
 * Group commit: records of one turn of the event loop, or made during a write, share the next write. A
 * change's promise resolves when its write has returned; from then on the change survives `kill -9`.
 * Checkpoints are fsynced at most once a second, journals are not: after a power cut at most that second is
 * read again.
 *
 * A full or read-only disk does not stop the exports: the state continues in memory, `degraded` gives the
 * reason, and the whole log is rewritten as soon as the disk works again. A rewrite goes to a new file that
 * replaces the old one by rename, so that the log is never torn.
 */
export class StateLog {
  readonly store: SinkStates;
  readonly #directory: string;
  readonly #log: Logger;
  readonly #writer = new LogWriter();
  #file: FileHandle | undefined;
  #fileBytes = 0;
  #compactedBytes = 0;
  #pending: Buffer[] = [];
  #waiting: Array<() => void> = [];
  #writing: Promise<void> | undefined;
  #unsyncedCheckpoint = false;
  /**
   * Runs only while there is something to do: wake-ups are most of the cost of an idle daemon
   * (bench/idle.ts).
   */
  #timer: NodeJS.Timeout | undefined;
  #isClosing = false;
  #lastRetryMs = 0;
  #degraded: string | undefined;

  private constructor(options: StateLogOptions) {
    this.#directory = options.directory;
    this.#log = options.log;
    this.store = new SinkStates((record) => this.#append(record));
  }

  /** Why the state is currently only in memory; undefined when it is on disk. */
  get degraded(): string | undefined {
    return this.#degraded;
  }

  /**
   * Reads the log of a directory, and creates the directory if necessary.
   *
   * @throws TelemetrydError STATE_UNUSABLE when the log was written by a newer version or cannot be read
   */
  static async open(options: StateLogOptions): Promise<StateLog> {
    const state = new StateLog(options);
    try {
      await state.#restore();
    } catch (error) {
      await state.#file?.close();
      throw error;
    }
    return state;
  }

  /** Writes pending records, fsyncs and closes. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    while (this.#writing !== undefined) await this.#writing;
    // A last attempt for records that are only in memory.
    this.#lastRetryMs = 0;
    await this.#housekeep();
    await this.#file?.close();
    this.#file = undefined;
  }

  async #restore(): Promise<void> {
    const path = join(this.#directory, logName);
    let bytes: Buffer;
    try {
      await makeDirectory(this.#directory);
      this.#file = await open(path, "a+", 0o600);
      // The read of a pipe or a terminal would never end.
      if (!(await this.#file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
      bytes = await this.#file.readFile();
    } catch (error) {
      const message = `the state directory ${this.#directory} cannot be used: ${describeError(error)}`;
      throw new TelemetrydError("STATE_UNUSABLE", message, { cause: error });
    }
    const remedy =
      "run that version, put back a copy of the directory from before it, or start with another state.directory";
    let isCurrent = false;
    const { records, soundBytes } = decodeRecords(bytes, (version) => {
      isCurrent = !checkFormat(String(version), stateVersion, path, remedy);
    });
    for (const record of records) this.store.apply(record);
    if (soundBytes < bytes.length) {
      this.#log.warn(
        { path, bytes: bytes.length - soundBytes },
        "the end of the state log was torn; it is cut off",
      );
      await this.#file.truncate(soundBytes);
    }
    this.#fileBytes = soundBytes;
    // Before any record that an older telemetryd cannot read.
    if (!isCurrent) await this.#append({ type: "version", version: stateVersion });
    this.#compactedBytes = this.#fileBytes;
  }

  #append(record: StateRecord): Promise<void> {
    this.#pending.push(encodeRecord(record));
    if (record.type === "checkpoint" || record.type === "close") {
      this.#unsyncedCheckpoint = true;
      this.#housekeepLater();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#writing ??= this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    // Waits until the caller has stored this promise: the end of the loop clears it, and nothing else would.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      // Further records of this turn of the event loop (a response, and the next request of its
      // partition) join the same write, which halves the number of writes (bench/journal.bench.ts). Not
      // yieldToEventLoop: others' long work would come first, and the journal wait for it.
      await setImmediate();
      const frames = this.#pending;
      const waiting = this.#waiting;
      this.#pending = [];
      this.#waiting = [];
      try {
        if (this.#degraded === undefined) await this.#write(frames);
      } catch (error) {
        this.#degrade(error);
      }
      for (const resolve of waiting) resolve();
    }
    this.#writing = undefined;
  }

  async #write(frames: readonly Buffer[]): Promise<void> {
    if (this.#fileBytes > compactAboveBytes && this.#fileBytes > this.#compactedBytes * compactAtGrowth) {
      // The model already includes these records, so the new log does too.
      await this.#rewrite();
      return;
    }
    const bytes = frames.length === 1 && frames[0] !== undefined ? frames[0] : Buffer.concat(frames);
    await this.#writer.write(this.#openFile(), bytes);
    this.#fileBytes += bytes.length;
  }

  async #rewrite(): Promise<void> {
    const bytes = Buffer.concat([...this.store.records()].map(encodeRecord));
    const path = join(this.#directory, logName);
    await makeDirectory(this.#directory);
    const file = await open(`${path}.new`, "w", 0o600);
    try {
      await file.appendFile(bytes);
      await file.datasync();
      await rename(`${path}.new`, path);
    } catch (error) {
      await file.close();
      await rm(`${path}.new`, { force: true }).catch(() => undefined);
      throw error;
    }
    await this.#file?.close();
    this.#file = file;
    this.#fileBytes = bytes.length;
    this.#compactedBytes = bytes.length;
    await syncDirectory(this.#directory);
  }

  #openFile(): FileHandle {
    if (this.#file === undefined) throw new Error("the state log is closed");
    return this.#file;
  }

  #housekeepLater(): void {
    if (this.#isClosing) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#housekeep().then(() => {
        if (this.#unsyncedCheckpoint || this.#degraded !== undefined) this.#housekeepLater();
      });
    }, fsyncEveryMs).unref();
  }

  async #housekeep(): Promise<void> {
    if (this.#writing !== undefined) return;
    try {
      if (this.#degraded !== undefined) {
        if (Date.now() - this.#lastRetryMs < retryEveryMs) return;
        this.#lastRetryMs = Date.now();
        this.#writing = this.#recover();
        await this.#writing;
      } else if (this.#unsyncedCheckpoint) {
        this.#unsyncedCheckpoint = false;
        if (this.#file !== undefined) await this.#writer.sync(this.#file);
      }
    } catch (error) {
      this.#degrade(error);
    }
  }

  /** Holds appends back while the whole log is rewritten. They resume in memory if the rewrite failed. */
  async #recover(): Promise<void> {
    try {
      await this.#rewrite();
      this.#degraded = undefined;
      this.#log.warn(
        { directory: this.#directory },
        "the state directory can be written again; the state is on disk",
      );
    } catch (error) {
      this.#degraded = describeError(error);
    }
    await this.#writeAll();
  }

  #degrade(error: unknown): void {
    this.#lastRetryMs = Date.now();
    if (this.#degraded === undefined) {
      this.#log.error(
        { directory: this.#directory, error: describeError(error) },
        "the state cannot be written: exporting continues with its state in memory; after a restart, everything since then would be read again",
      );
    }
    this.#degraded = describeError(error);
    this.#housekeepLater();
    // An open file would keep the disk from being remounted. It is not needed: recovery writes a new one.
    const file = this.#file;
    this.#file = undefined;
    file?.close().catch(() => undefined);
  }
}
