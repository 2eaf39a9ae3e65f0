import { crc32 } from "node:zlib";
import { RequestEntries } from "./request-entries.ts";

/**
 * A record of the state log: one change of a sink's state. Replaying the records in order gives the state; a
 * compacted log is the shortest list of records that gives the same state.
 */
export type StateRecord =
  | { readonly type: "version"; readonly version: number }
  | { readonly type: "checkpoint"; readonly sink: string; readonly source: string; readonly ms: number }
  | { readonly type: "receiver"; readonly sink: string; readonly text: string }
  | {
      readonly type: "open";
      readonly sink: string;
      readonly id: number;
      readonly fromMs: number;
      readonly toMs: number;
      readonly stepMs: number;
      readonly sources: readonly string[];
    }
  | { readonly type: "sent"; readonly id: number; readonly number: number; readonly entries: RequestEntries }
  | { readonly type: "acknowledged"; readonly id: number; readonly number: number }
  | { readonly type: "returned"; readonly id: number; readonly number: number }
  | { readonly type: "close"; readonly id: number; readonly sources: readonly string[] }
  | { readonly type: "drop"; readonly id: number }
  | { readonly type: "dropSource"; readonly sink: string; readonly source: string }
  | { readonly type: "forget"; readonly sink: string };

/** Version 2 has the times of samples in its entries. Frames and records of the type `version` never change. */
export const stateVersion = 2;

/**
 * Frame: u32 length of the rest, u32 CRC-32 of the rest, u16 length of the JSON head, head, bytes of the
 * entries.
 */
const frameBytes = 8;

export function encodeRecord(record: StateRecord): Buffer {
  const { head, tail } = partsOf(record);
  const json = Buffer.from(JSON.stringify(head));
  const bodyLength = 2 + json.length + (tail?.length ?? 0);
  const frame = Buffer.allocUnsafe(frameBytes + bodyLength);
  frame.writeUInt32LE(bodyLength, 0);
  frame.writeUInt16LE(json.length, frameBytes);
  json.copy(frame, frameBytes + 2);
  tail?.copy(frame, frameBytes + 2 + json.length);
  frame.writeUInt32LE(crc32(frame.subarray(frameBytes)), 4);
  return frame;
}

/** A record's small part, as JSON, and its large one: a JSON head has at most 64 KiB. */
function partsOf(record: StateRecord): { readonly head: object; readonly tail: Buffer | undefined } {
  if (record.type === "sent")
    return { head: { ...record, entries: undefined }, tail: record.entries.encode() };
  if (record.type === "receiver") return { head: { ...record, text: "" }, tail: Buffer.from(record.text) };
  return { head: record, tail: undefined };
}

/** Logs of earlier versions have another name for a type. */
function renamed(key: string, value: unknown): unknown {
  return key === "type" && value === "settled" ? "acknowledged" : value;
}

/**
 * Reads records up to the end or up to the first torn or damaged one: the process may have been killed, or
 * the disk full, in the middle of a write, and no write beyond that place was ever confirmed.
 *
 * @param onVersion receives each version before the records that follow it are decoded
 * @returns the records, and the length of the sound part in bytes
 */
export function decodeRecords(
  bytes: Buffer,
  onVersion: (version: number) => void = () => undefined,
): { records: StateRecord[]; soundBytes: number } {
  const records: StateRecord[] = [];
  let at = 0;
  while (at + frameBytes <= bytes.length) {
    const end = at + frameBytes + bytes.readUInt32LE(at);
    if (end > bytes.length) break;
    const body = bytes.subarray(at + frameBytes, end);
    if (body.length < 2 || crc32(body) !== bytes.readUInt32LE(at + 4)) break;
    const headEnd = 2 + body.readUInt16LE(0);
    // The checksum matches, so encodeRecord wrote this: the cast is as good as a check.
    const head = JSON.parse(body.toString("utf8", 2, headEnd), renamed) as StateRecord;
    if (head.type === "version") onVersion(head.version);
    if (head.type === "sent")
      records.push({ ...head, entries: RequestEntries.decode(body.subarray(headEnd)) });
    else if (head.type === "receiver") records.push({ ...head, text: body.toString("utf8", headEnd) });
    else records.push(head);
    at = end;
  }
  return { records, soundBytes: at };
}
