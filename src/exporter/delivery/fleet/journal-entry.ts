import { RequestEntries } from "../state/request-entries.ts";
import type { JournaledRequest } from "../state/sink-state.ts";

/**
 * An entry of a window's journal in Redis, one binary list element for each change: u8 kind, u32 number of
 * the request (little endian); for a `sent` entry, then its entries as RequestEntries encodes them.
 */
export type JournalEntry =
  | { readonly type: "sent"; readonly number: number; readonly entries: RequestEntries }
  | { readonly type: "acknowledged" | "returned"; readonly number: number };

const kinds = ["sent", "acknowledged", "returned"] as const;
const headBytes = 5;

export function encodeEntry(entry: JournalEntry): Buffer {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt8(kinds.indexOf(entry.type), 0);
  head.writeUInt32LE(entry.number, 1);
  return entry.type === "sent" ? Buffer.concat([head, entry.entries.encode()]) : head;
}

/** @throws RangeError when the bytes are not what `encodeEntry` writes */
export function decodeEntry(bytes: Buffer): JournalEntry {
  const type = kinds[bytes.readUInt8(0)];
  const number = bytes.readUInt32LE(1);
  if (type === undefined) throw new RangeError(`no journal entry begins with ${bytes.readUInt8(0)}`);
  return type === "sent"
    ? { type, number, entries: RequestEntries.decode(bytes.subarray(headBytes)) }
    : { type, number };
}

/**
 * The requests recorded in a journal. An entry may be duplicated or late: a write whose reply was lost is
 * repeated, and the first one may still arrive. An acknowledged request therefore stays acknowledged.
 */
export function requestsOf(journal: readonly Buffer[]): Map<number, JournaledRequest> {
  const requests = new Map<number, JournaledRequest>();
  for (const bytes of journal) {
    const entry = decodeEntry(bytes);
    const present = requests.get(entry.number);
    if (entry.type === "sent") {
      if (present?.state !== "acknowledged") requests.set(entry.number, { ...entry, state: "sent" });
    } else if (entry.type === "returned") {
      if (present?.state !== "acknowledged") requests.delete(entry.number);
    } else if (present !== undefined) {
      requests.set(entry.number, { ...present, state: "acknowledged" });
    }
  }
  return requests;
}
