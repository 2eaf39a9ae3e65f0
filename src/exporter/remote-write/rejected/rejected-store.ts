import { randomBytes } from "node:crypto";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError, errnoCode } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import type { Logger } from "../../../base/log/log.ts";
import { redact } from "../../../base/log/redact.ts";
import { toSnappy } from "../encoding/compression.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { RemoteWriteMetrics } from "../send/metrics.ts";
import {
  isWhole,
  parseRejectedFile,
  type RejectedBody,
  type RejectedEntry,
  readHead,
  writeWhole,
} from "./rejected-file.ts";

export interface RejectedRequest {
  readonly sink: string;
  readonly endpoint: string;
  readonly status?: number | undefined;
  readonly message: string;
  readonly request: EncodedRequest;
  /** An earlier request with these samples got no response: the receiver may have them. */
  readonly isRepeat?: boolean;
}

export interface RejectedLimits {
  /** 0: nothing is kept. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** Minimum interval between sweeps while the folder is within its size limit. */
const sweepEveryMs = 60_000;
const suffix = ".rejected";
/** A file of this age that was never renamed was left behind by a crash. */
const staleTemporaryMs = 3_600_000;
const idPattern = /^\d{14}-[0-9a-f]{8}$/;

/**
 * Keeps rejected requests, one file each, under `state.directory/rejected`. Limited by size and age, oldest
 * removed first. The folder is the only source of truth: a command in another process lists, shows and
 * deletes entries while the daemon writes.
 */
export class RejectedStore {
  readonly #directory: string;
  readonly #limits: RejectedLimits;
  readonly #deps: { readonly clock: Clock; readonly log: Logger; readonly metrics: RemoteWriteMetrics };
  #last: Promise<unknown> = Promise.resolve();
  /** Upper bound of the folder's size: a command may have deleted entries since the last sweep. */
  #bytes = Infinity;
  #batches = 0;
  #sweptAtMs = Number.NEGATIVE_INFINITY;
  #hasChecked = false;

  constructor(
    directory: string,
    limits: RejectedLimits,
    deps: { readonly clock: Clock; readonly log: Logger; readonly metrics: RemoteWriteMetrics },
  ) {
    this.#directory = directory;
    this.#limits = limits;
    this.#deps = deps;
  }

  /**
   * Keeps a request. Never rejects: if it cannot be kept (a full disk), the failure is logged, and the
   * samples still count as rejected.
   *
   * @returns the entry, or undefined when it was not kept
   */
  add(rejected: RejectedRequest): Promise<RejectedEntry | undefined> {
    // One after another: two concurrent additions would free the same space twice.
    const adding = this.#last.then(() => this.#add(rejected));
    this.#last = adding;
    return adding;
  }

  /** Number and size of the entries, as of this process's last sweep; zero before the first. */
  snapshot(): { readonly batches: number; readonly bytes: number } {
    return { batches: this.#batches, bytes: Number.isFinite(this.#bytes) ? this.#bytes : 0 };
  }

  /**
   * Removes entries that are too old, and the oldest beyond the size limit; the first one also what a crash
   * or a full disk left incomplete. Adding entries runs it when due.
   */
  async sweep(): Promise<void> {
    if (!this.#hasChecked) await this.#removeIncomplete();
    this.#hasChecked = true;
    const files = await filesOf(this.#directory);
    let batches = files.length;
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const oldestMs = this.#deps.clock.nowMs() - this.#limits.maxAgeMs;
    for (const file of files) {
      const reason = file.atMs < oldestMs ? "age" : bytes > this.#limits.maxBytes ? "size" : undefined;
      if (reason === undefined) break;
      await rm(join(this.#directory, file.name), { force: true });
      bytes -= file.bytes;
      batches--;
      this.#deps.metrics.rejectedEvicted(reason);
    }
    this.#bytes = bytes;
    this.#batches = batches;
    this.#sweptAtMs = this.#deps.clock.monotonicMs();
    this.#deps.metrics.rejectedStored(bytes);
  }

  async #removeIncomplete(): Promise<void> {
    const oldestMs = this.#deps.clock.nowMs() - staleTemporaryMs;
    for (const file of await filesOf(this.#directory, `${suffix}.new`)) {
      // A command in another process may be writing a newer one.
      if (file.atMs < oldestMs) await rm(join(this.#directory, file.name), { force: true });
    }
    for (const file of await filesOf(this.#directory)) {
      const path = join(this.#directory, file.name);
      if (await isWhole(path, file.bytes)) continue;
      await rm(path, { force: true });
      this.#deps.log.warn({ file: file.name }, "an incomplete entry of the rejected store was removed");
    }
  }

  async #add(rejected: RejectedRequest): Promise<RejectedEntry | undefined> {
    if (this.#limits.maxBytes === 0) return undefined;
    const { request, sink, endpoint, status, message, isRepeat } = rejected;
    const atMs = this.#deps.clock.nowMs();
    // A replay may run in another Node.js, which may have no zstd.
    const { payload, ...counts } = toSnappy(request);
    const entry: RejectedEntry = {
      id: `${String(atMs).padStart(14, "0")}-${randomBytes(4).toString("hex")}`,
      atMs,
      sink,
      endpoint: redact(endpoint),
      status,
      message,
      ...counts,
      ...(isRepeat === true && { isRepeat }),
    };
    try {
      await makeDirectory(this.#directory);
      this.#batches++;
      this.#bytes += await writeWhole(join(this.#directory, entry.id + suffix), entry, payload);
      const isDue = this.#deps.clock.monotonicMs() - this.#sweptAtMs >= sweepEveryMs;
      if (isDue || this.#bytes > this.#limits.maxBytes) await this.sweep();
      else this.#deps.metrics.rejectedStored(this.#bytes);
      return entry;
    } catch (error) {
      this.#deps.log.error(
        { sink, samples: request.sampleCount, error: describeError(error) },
        "rejected samples could not be kept",
      );
      return undefined;
    }
  }
}

/** The entries, oldest first; other files are skipped. */
export async function listRejected(directory: string): Promise<RejectedEntry[]> {
  const entries: RejectedEntry[] = [];
  for await (const entry of scanRejected(directory, 0)) entries.push(entry);
  return entries;
}

/**
 * The same one by one, without their bodies, from those rejected at `sinceMs` on (Unix epoch, ms). Entries
 * that are deleted meanwhile may be missing.
 */
export async function* scanRejected(directory: string, sinceMs: number): AsyncGenerator<RejectedEntry> {
  for (const name of await namesOf(directory, suffix)) {
    if (atMsOf(name) < sinceMs) continue;
    const entry = await readHead(join(directory, name));
    if (entry !== undefined) yield entry;
  }
}

/** @returns undefined when no entry has that id */
export async function readRejected(directory: string, id: string): Promise<RejectedBody | undefined> {
  const bytes = await readRejectedFile(directory, id);
  return bytes && parseRejectedFile(bytes);
}

/** The whole file of an entry, for {@link parseRejectedFile}. @returns undefined when no entry has that id */
export async function readRejectedFile(directory: string, id: string): Promise<Buffer | undefined> {
  // The id comes from a command line: it must name a file of this folder and nothing else.
  if (!idPattern.test(id)) return undefined;
  try {
    return await readFile(join(directory, id + suffix));
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** @returns false when no entry has that id */
export async function deleteRejected(directory: string, id: string): Promise<boolean> {
  if (!idPattern.test(id)) return false;
  try {
    await rm(join(directory, id + suffix));
    return true;
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return false;
    throw error;
  }
}

interface StoredFile {
  readonly name: string;
  readonly bytes: number;
  readonly atMs: number;
}

async function filesOf(directory: string, ending = suffix): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const name of await namesOf(directory, ending)) {
    try {
      files.push({ name, bytes: (await stat(join(directory, name))).size, atMs: atMsOf(name) });
    } catch (error) {
      // Deleted concurrently by a command.
      if (errnoCode(error) !== "ENOENT") throw error;
    }
  }
  return files;
}

/** Oldest first: ids begin with the time, padded to equal length. */
async function namesOf(directory: string, ending: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names
      .filter((name) => name.endsWith(ending) && idPattern.test(name.slice(0, -ending.length)))
      .sort();
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return [];
    throw error;
  }
}

function atMsOf(name: string): number {
  return Number(name.slice(0, 14));
}
