import { randomBytes } from "node:crypto";
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { uncompress } from "snappy";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError, errnoCode } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import type { Logger } from "../../../base/log/log.ts";
import { redact } from "../../../base/log/redact.ts";
import type { Protocol } from "../encoding/labels.ts";
import type { EncodedRequest } from "../encoding/request.ts";
import type { RemoteWriteMetrics } from "../send/metrics.ts";

/** A request, or a part of one, that a receiver rejected. */
export interface RejectedEntry {
  readonly id: string;
  /** Time of the rejection, Unix epoch, ms. */
  readonly atMs: number;
  /** The sink's key: control plane / namespace / policy / uid / sink. */
  readonly sink: string;
  /** Without credentials. */
  readonly endpoint: string;
  /**
   * Status of the receiver's response; absent when telemetryd itself dropped it (retries used up with
   * onExhausted: drop).
   */
  readonly status?: number | undefined;
  readonly message: string;
  readonly protocol: Protocol;
  readonly seriesCount: number;
  readonly sampleCount: number;
  /** Earliest and latest timestamp of its samples, Unix epoch, ms. */
  readonly minMs: number;
  readonly maxMs: number;
  readonly uncompressedBytes: number;
  /** An earlier request with these samples got no response: the receiver may have them. */
  readonly isRepeat?: true | undefined;
}

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
/** Room for an entry's line. */
const longestHeadBytes = 64 * 1_024;
const usualHeadBytes = 4 * 1_024;
const idPattern = /^\d{14}-[0-9a-f]{8}$/;
const newline = 0x0a;

/**
 * Keeps rejected requests, one file each, under `state.directory/rejected`: a line of JSON (the entry), then
 * the body as it was sent. Limited by size and age, oldest removed first. The folder is the only source of
 * truth: a command in another process lists, shows and deletes entries while the daemon writes.
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
    for (const file of await filesOf(this.#directory, `${suffix}.tmp`)) {
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
    const { payload, ...counts } = request;
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

/** One entry with its request, ready to be sent again. */
export interface RejectedBody {
  readonly entry: RejectedEntry;
  readonly request: EncodedRequest;
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

/** @returns undefined when it is not a whole entry */
export function parseRejectedFile(bytes: Buffer): RejectedBody | undefined {
  const head = headIn(bytes);
  if (head === undefined) return undefined;
  const payload = bytes.subarray(head.end);
  const { payloadBytes = payload.length, ...entry } = head.stored;
  if (payload.length !== payloadBytes) return undefined;
  const { protocol, seriesCount, sampleCount, minMs, maxMs, uncompressedBytes } = entry;
  const counts = { protocol, seriesCount, sampleCount, minMs, maxMs, uncompressedBytes };
  return { entry, request: { payload, ...counts } };
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

/** @returns undefined when the file is no whole entry, or was deleted concurrently */
async function readHead(path: string): Promise<RejectedEntry | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    if (errnoCode(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const { size } = await file.stat();
    const head = await headOf(file);
    if (head === undefined) return undefined;
    const { payloadBytes = size - head.end, ...entry } = head.stored;
    return size === head.end + payloadBytes ? entry : undefined;
  } finally {
    await file.close();
  }
}

/** Most heads are short: a folder of many entries is read in small pieces. */
async function headOf(file: FileHandle): Promise<Head | undefined> {
  for (const length of [usualHeadBytes, longestHeadBytes]) {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position: 0 });
    const head = headIn(buffer.subarray(0, bytesRead));
    if (head !== undefined || bytesRead < length) return head;
  }
  return undefined;
}

/** As in the file: with the size of the body that follows, which entries of earlier versions do not have. */
interface StoredEntry extends RejectedEntry {
  readonly payloadBytes?: number;
}

interface Head {
  readonly stored: StoredEntry;
  /** Where the body begins. */
  readonly end: number;
}

function headIn(bytes: Buffer): Head | undefined {
  const end = bytes.indexOf(newline);
  if (end < 0) return undefined;
  try {
    return { stored: JSON.parse(bytes.toString("utf8", 0, end)) as StoredEntry, end: end + 1 };
  } catch {
    return undefined;
  }
}

/** @param size of the file, in bytes */
async function isWhole(path: string, size: number): Promise<boolean> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (error) {
    // Deleted concurrently by a command.
    if (errnoCode(error) === "ENOENT") return true;
    throw error;
  }
  try {
    const head = await headOf(file);
    if (head === undefined) return false;
    const { payloadBytes } = head.stored;
    if (payloadBytes !== undefined) return size === head.end + payloadBytes;
    await uncompress((await readFile(path)).subarray(head.end));
    return true;
  } catch (error) {
    // Any other is snappy's.
    if (errnoCode(error)?.startsWith("E") === true) throw error;
    return false;
  } finally {
    await file.close();
  }
}

/**
 * Written under a temporary name first, and the folder is fsynced: no concurrent reader, crash or power cut
 * finds or leaves a partial entry.
 *
 * @returns the file's size
 */
async function writeWhole(path: string, entry: RejectedEntry, payload: Buffer): Promise<number> {
  const temporary = `${path}.tmp`;
  const stored: StoredEntry = { ...entry, payloadBytes: payload.length };
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(stored)}\n`), payload]);
  try {
    const file = await open(temporary, "w", 0o600);
    try {
      // Not `write`, which may write a part when the disk is full.
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
    return content.length;
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Makes a rename last through a power cut. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
