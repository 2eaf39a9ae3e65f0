import type { Window } from "../../metrics-store/ports/window.ts";
import type { StepCount } from "../state/sample-counts.ts";

/** What a source had in a window, when it was last read. */
export interface SourceCounts {
  /** Identifies the source by its name; 8 characters of latin1. */
  readonly source: string;
  /** MetricsQL. Absent if it is the same as in the source's last record of this block. */
  readonly query?: string | undefined;
  readonly counts: readonly StepCount[];
}

/**
 * A record of what was sent in one window of a sink. `live` ones follow one another, with a gap where one was
 * not kept; a `late` one corrects the counts of steps that were read before.
 */
export interface SentRecord extends Window {
  readonly kind: "live" | "late";
  /** The block that the body belongs to; the body of a block's first record needs no other. */
  readonly blockId: number;
  readonly isFirstOfBlock: boolean;
  /** Number of records of the block before this one; 0 in records of earlier versions, too. */
  readonly ordinal: number;
  /** Start of the block (Unix ms). */
  readonly blockBaseMs: number;
  readonly sources: readonly SourceCounts[];
  /** See {@link SentBlock}. */
  readonly body: Buffer;
}

const fixedBytes = 34;
const sourceBytes = 14;
const countBytes = 16;

/**
 * u8 kind, u8 first of block, float64 from, to and base of the block, u32 id of the block, u16 number of
 * sources, u16 ordinal; for each source 8 bytes of identity, a u32 length of the query, the query, and a u16
 * number of counts; for each of those float64 end, u32 samples, u32 staleness markers; then the body.
 */
export function encodeSentRecord(record: SentRecord): Buffer {
  const head = Buffer.alloc(headBytes(record.sources));
  head.writeUInt8(record.kind === "late" ? 1 : 0, 0);
  head.writeUInt8(record.isFirstOfBlock ? 1 : 0, 1);
  head.writeDoubleLE(record.fromMs, 2);
  head.writeDoubleLE(record.toMs, 10);
  head.writeDoubleLE(record.blockBaseMs, 18);
  head.writeUInt32LE(record.blockId, 26);
  head.writeUInt16LE(record.sources.length, 30);
  head.writeUInt16LE(record.ordinal, 32);
  let at = fixedBytes;
  for (const { source, query = "", counts } of record.sources) {
    head.write(source, at, 8, "latin1");
    const queryBytes = head.write(query, at + 12, "utf8");
    head.writeUInt32LE(queryBytes, at + 8);
    at += 12 + queryBytes;
    head.writeUInt16LE(counts.length, at);
    at += 2;
    for (const { endMs, samples, staleMarkers } of counts) {
      head.writeDoubleLE(endMs, at);
      head.writeUInt32LE(samples, at + 8);
      head.writeUInt32LE(staleMarkers, at + 12);
      at += countBytes;
    }
  }
  return Buffer.concat([head, record.body]);
}

/** The inverse of {@link encodeSentRecord}. @throws RangeError when the bytes are not what that writes */
export function decodeSentRecord(bytes: Buffer): SentRecord {
  const sources: SourceCounts[] = [];
  let at = fixedBytes;
  for (let left = bytes.readUInt16LE(30); left > 0; left--) {
    const source = bytes.toString("latin1", at, at + 8);
    const queryBytes = bytes.readUInt32LE(at + 8);
    const query = queryBytes === 0 ? undefined : bytes.toString("utf8", at + 12, at + 12 + queryBytes);
    at += 12 + queryBytes;
    const counts: StepCount[] = [];
    let countsLeft = bytes.readUInt16LE(at);
    at += 2;
    for (; countsLeft > 0; countsLeft--) {
      counts.push({
        endMs: bytes.readDoubleLE(at),
        samples: bytes.readUInt32LE(at + 8),
        staleMarkers: bytes.readUInt32LE(at + 12),
      });
      at += countBytes;
    }
    sources.push({ source, query, counts });
  }
  return {
    kind: bytes.readUInt8(0) === 1 ? "late" : "live",
    isFirstOfBlock: bytes.readUInt8(1) === 1,
    fromMs: bytes.readDoubleLE(2),
    toMs: bytes.readDoubleLE(10),
    blockBaseMs: bytes.readDoubleLE(18),
    blockId: bytes.readUInt32LE(26),
    ordinal: bytes.readUInt16LE(32),
    sources,
    body: bytes.subarray(at),
  };
}

function headBytes(sources: readonly SourceCounts[]): number {
  let sum = fixedBytes;
  for (const { query = "", counts } of sources) {
    sum += sourceBytes + Buffer.byteLength(query) + counts.length * countBytes;
  }
  return sum;
}
