import { type FileHandle, open, readFile } from "node:fs/promises";
import { uncompress } from "snappy";
import { errnoCode } from "../../../base/core/errors.ts";
import { replaceFile } from "../../../base/core/replace-file.ts";
import type { Protocol } from "../encoding/labels.ts";
import type { EncodedRequest } from "../encoding/request.ts";

/** One file of the rejected store: a line of JSON (the entry), then the body as it was sent. */

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

/** One entry with its request, ready to be sent again. */
export interface RejectedBody {
  readonly entry: RejectedEntry;
  readonly request: EncodedRequest;
}

/** Room for an entry's line. */
const longestHeadBytes = 64 * 1_024;
const usualHeadBytes = 4 * 1_024;
const newline = 0x0a;

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

/** @returns undefined when the file is no whole entry, or was deleted concurrently */
export async function readHead(path: string): Promise<RejectedEntry | undefined> {
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

/**
 * Whether a file is an entry with all of its body, or gone.
 *
 * @param size of the file, in bytes
 */
export async function isWhole(path: string, size: number): Promise<boolean> {
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

/** Writes an entry, whole or not at all. @returns the file's size */
export async function writeWhole(path: string, entry: RejectedEntry, payload: Buffer): Promise<number> {
  const stored: StoredEntry = { ...entry, payloadBytes: payload.length };
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(stored)}\n`), payload]);
  await replaceFile(path, content);
  return content.length;
}
