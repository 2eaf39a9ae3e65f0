import { createHash } from "node:crypto";
import { readdir } from "node:fs/promises";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";
import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import { LogWriter } from "../state/log-writer.ts";
import { BlockPlaces, type Place, type PlacedBlock } from "./block-places.ts";
import { SinkCounts } from "./known-counts.ts";
import { blocksOf, type SentLog } from "./sent-log.ts";
import { decodeSentRecord, encodeSentRecord, type SentRecord } from "./sent-record.ts";
import { FrameReader, frameBytes, SentSegment } from "./sent-segment.ts";

/** A new segment is begun after this many bytes, and after this time. */
const maxSegmentBytes = 32 * 2 ** 20;
/** Segments of which the log consists at least when it is full. */
const minSegments = 16;
const segmentMs = 5 * 60_000;
/** After a failed write, the log is left alone for this long. */
const pauseAfterErrorMs = 5_000;

/**
 * Content of a frame: 8 bytes of the sink's hash, u32 segment and u32 offset of the sink's previous record
 * (0, 0: none), then the record.
 */
const chainBytes = 16;

interface SinkIndex {
  readonly counts: SinkCounts;
  readonly blocks: BlockPlaces;
  /** Of its last record. */
  last: Place;
  /** Of its last live record. */
  blockId: number | undefined;
}

export interface FileSentLogOptions {
  readonly directory: string;
  readonly stepMs: number;
  /** Records are kept for this long at least, unless there are too many. */
  readonly keepMs: number;
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * What was sent, in append-only segments, `sent/<number>.log` in the state directory. Segments are deleted
 * whole: by age, and the oldest first when there are too many bytes.
 *
 * The records of all sinks share the segments. Each has the place of the one before it of the same sink, so
 * that memory holds one place for each block of a sink, and its counts.
 */
export class FileSentLog implements SentLog {
  readonly stepMs: number;
  readonly #options: FileSentLogOptions;
  readonly #segments = new Map<number, SentSegment>();
  readonly #sinks = new Map<string, SinkIndex>();
  readonly #writer = new LogWriter();
  #current: SentSegment | undefined;
  /** Of all segments that the directory has had: none is written over. */
  #lastNumber = 0;
  #writing: Promise<unknown> = Promise.resolve();
  #isTorn = false;
  #isFailing = false;
  #pausedUntilMs = -Infinity;
  /** Every record that ends up to here may be gone: by its age, and because there were too many bytes. */
  #oldUntilMs = -Infinity;
  #droppedUntilMs = -Infinity;

  private constructor(options: FileSentLogOptions) {
    this.stepMs = options.stepMs;
    this.#options = options;
  }

  /** Reads the index from a directory's segments; creates the directory if necessary. Never rejects. */
  static async open(options: FileSentLogOptions): Promise<FileSentLog> {
    const log = new FileSentLog(options);
    try {
      await makeDirectory(options.directory);
      const names = await readdir(options.directory);
      const numbers = names.flatMap((name) => /^(\d+)\.log$/.exec(name)?.[1] ?? []).map(Number);
      log.#lastNumber = Math.max(0, ...numbers);
      for (const number of numbers.sort((a, b) => a - b)) {
        // What follows a torn record may lack it: it does not count.
        if (log.#isTorn) log.#loseAll();
        await log.#restore(number);
      }
      // A record of a block may have been lost with the process that has written it: no other continues it.
      for (const index of log.#sinks.values()) index.blockId = undefined;
    } catch (error) {
      log.#fail(error);
    }
    return log;
  }

  /** Bytes of all segments. */
  get bytes(): number {
    let sum = 0;
    for (const { bytes } of this.#segments.values()) sum += bytes;
    return sum;
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#current?.seal();
    this.#segments.clear();
    this.#current = undefined;
  }

  append(sink: string, record: SentRecord): Promise<boolean> {
    const written = this.#writing.then(() => this.#append(hashOf(sink), record));
    this.#writing = written;
    return written;
  }

  async counts(sink: string): Promise<SinkCounts | undefined> {
    const counts = this.#sinks.get(hashOf(sink))?.counts;
    counts?.dropUntil(this.#oldUntilMs);
    counts?.loseUntil(this.#droppedUntilMs);
    return counts;
  }

  async blocks(sink: string, span: Window): Promise<readonly (readonly SentRecord[])[]> {
    await this.#writing;
    const index = this.#sinks.get(hashOf(sink));
    const records: SentRecord[][] = [];
    const frames = new FrameReader();
    try {
      for (const block of index?.blocks.in(span) ?? []) {
        const own = await this.#recordsOf(block, frames);
        if (own === "damaged" && index !== undefined) loseThrough(index, block.id);
        // Those before it are gone as well, or count no longer.
        if (typeof own === "string") break;
        records.unshift(own);
      }
    } finally {
      frames.close();
    }
    return blocksOf(records.flat(), span);
  }

  /** The records of a block, in order. Others run between two frames: each may be of many MiB. */
  async #recordsOf(
    { id, last }: PlacedBlock,
    frames: FrameReader,
  ): Promise<SentRecord[] | "gone" | "damaged"> {
    const records: SentRecord[] = [];
    for (let place: Place | undefined = last; place !== undefined; ) {
      const segment = this.#segments.get(place.segment);
      const content = segment && frames.read(segment, place.offset);
      if (content === undefined) return this.#segments.has(place.segment) ? "damaged" : "gone";
      const record = decodeSentRecord(content.subarray(chainBytes));
      if (record.blockId === id) records.push(record);
      if (record.blockId === id && record.isFirstOfBlock) return records.reverse();
      place = previousOf(content);
      await yieldToEventLoop();
    }
    return "gone";
  }

  async #append(key: string, record: SentRecord): Promise<boolean> {
    const { clock, directory, log } = this.#options;
    if (clock.monotonicMs() < this.#pausedUntilMs) return false;
    try {
      const bytes = encodeSentRecord(record);
      const ownBytes = frameBytes + chainBytes + bytes.length;
      if (ownBytes > this.#options.maxBytes) return false;
      const segment = await this.#segmentFor(ownBytes);
      if (!this.#continues(key, record)) return false;
      const place = { segment: segment.number, offset: segment.bytes };
      await segment.append(contentOf(key, this.#sinks.get(key)?.last, bytes), this.#writer);
      this.#note(key, place, record, segment);
      if (this.#isFailing) {
        this.#isFailing = false;
        log.warn({ directory }, "what is sent is written down again");
      }
      return true;
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  /** Whether the log has the records that this one needs. */
  #continues(key: string, { kind, isFirstOfBlock, blockId }: SentRecord): boolean {
    return isFirstOfBlock || (kind === "live" && this.#sinks.get(key)?.blockId === blockId);
  }

  #note(key: string, place: Place, record: SentRecord, segment: SentSegment): void {
    let index = this.#sinks.get(key);
    if (index === undefined) {
      index = {
        counts: new SinkCounts(this.stepMs),
        blocks: new BlockPlaces(),
        last: place,
        blockId: undefined,
      };
      this.#sinks.set(key, index);
    }
    index.last = place;
    if (record.kind === "live") index.blockId = record.blockId;
    index.counts.take(record);
    index.blocks.note(record, place);
    if (record.kind === "live") {
      const oldMs = record.toMs - this.#options.keepMs;
      index.counts.dropUntil(oldMs);
      index.blocks.dropUntil(oldMs);
    }
    segment.toMs = Math.max(segment.toMs, record.toMs);
  }

  /** The segment to append to; begins a new one when it is time, and deletes those that are old. */
  async #segmentFor(recordBytes: number): Promise<SentSegment> {
    const { clock, directory, maxBytes } = this.#options;
    const nowMs = clock.nowMs();
    const current = this.#current;
    const segmentBytes = Math.min(maxSegmentBytes, maxBytes / minSegments);
    if (
      current !== undefined &&
      current.bytes + recordBytes <= segmentBytes &&
      nowMs - current.begunMs < segmentMs
    ) {
      return current;
    }
    await this.#deleteOld(nowMs, maxBytes - Math.max(segmentBytes, recordBytes));
    await current?.seal();
    await makeDirectory(directory);
    const segment = await SentSegment.begin(directory, ++this.#lastNumber, nowMs);
    this.#segments.set(segment.number, segment);
    this.#current = segment;
    return segment;
  }

  /** @param maxBytes that may be left */
  async #deleteOld(nowMs: number, maxBytes: number): Promise<void> {
    const { keepMs } = this.#options;
    for (const segment of [...this.#segments.values()]) {
      const isTooMuch = this.bytes > maxBytes;
      // Blocks that began in this segment may continue in the next ones.
      const isOld = segment.begunMs + segmentMs + longestBlockMs + keepMs <= nowMs;
      if (!isOld && !isTooMuch) continue;
      this.#segments.delete(segment.number);
      const goneMs = segment.toMs + longestBlockMs;
      // A sink that lags behind has kept counts that are older.
      if (isOld) this.#oldUntilMs = Math.max(this.#oldUntilMs, goneMs);
      else this.#droppedUntilMs = Math.max(this.#droppedUntilMs, goneMs);
      await segment.remove();
    }
    for (const [key, { last }] of this.#sinks) {
      if (!this.#segments.has(last.segment)) this.#sinks.delete(key);
    }
  }

  async #restore(number: number): Promise<void> {
    const onFrame = (content: Buffer, offset: number, segment: SentSegment): void => {
      const key = content.toString("latin1", 0, 8);
      const record = decodeSentRecord(content.subarray(chainBytes));
      const index = this.#sinks.get(key);
      // A record between was damaged, maybe found by an earlier process: what is before cannot be reached.
      if (index !== undefined && !isSame(previousOf(content), index.last)) loseAllOf(index);
      if (this.#continues(key, record)) this.#note(key, { segment: number, offset }, record, segment);
    };
    const { segment, isTorn } = await SentSegment.restore(this.#options.directory, number, onFrame);
    this.#segments.set(number, segment);
    this.#isTorn = isTorn;
  }

  /** Nothing that was recorded so far counts any longer. */
  #loseAll(): void {
    for (const index of this.#sinks.values()) loseAllOf(index);
  }

  /** What cannot be written is forgotten: it is not checked, and nothing of it is sent again. */
  #fail(error: unknown): void {
    const { clock, log, directory } = this.#options;
    this.#pausedUntilMs = clock.monotonicMs() + pauseAfterErrorMs;
    void this.#current?.seal();
    this.#current = undefined;
    this.#loseAll();
    if (this.#isFailing) return;
    this.#isFailing = true;
    log.error(
      { directory, error: describeError(error) },
      "what was sent cannot be written down: late samples of this time will not be found",
    );
  }
}

/** A block ends after 5 minutes, with a window of at most as much again. */
const longestBlockMs = 10 * 60_000;

function loseAllOf(index: SinkIndex): void {
  index.counts.loseUntil(Infinity);
  index.blocks.clear();
  index.blockId = undefined;
}

/** What was recorded in this block, and before it, does not count any longer. */
function loseThrough(index: SinkIndex, blockId: number): void {
  index.counts.loseUntil(index.blocks.dropThrough(blockId));
  if (!index.blocks.has(index.blockId)) index.blockId = undefined;
}

function contentOf(key: string, previous: Place | undefined, record: Buffer): Buffer {
  const content = Buffer.allocUnsafe(chainBytes + record.length);
  content.write(key, 0, 8, "latin1");
  content.writeUInt32LE(previous?.segment ?? 0, 8);
  content.writeUInt32LE(previous?.offset ?? 0, 12);
  record.copy(content, chainBytes);
  return content;
}

function previousOf(content: Buffer): Place | undefined {
  const segment = content.readUInt32LE(8);
  return segment === 0 ? undefined : { segment, offset: content.readUInt32LE(12) };
}

function isSame(one: Place | undefined, other: Place): boolean {
  return one?.segment === other.segment && one.offset === other.offset;
}

/** 8 bytes as latin1. */
function hashOf(sink: string): string {
  return createHash("sha1").update(sink).digest().toString("latin1", 0, 8);
}
