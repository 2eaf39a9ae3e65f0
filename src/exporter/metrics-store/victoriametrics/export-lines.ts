import { SampleBuffer } from "../../series/series.ts";
import type { SampleReceiver } from "../ports/scoped-reader.ts";
import type { Window } from "../ports/window.ts";
import type { LabelCache } from "../samples/label-cache.ts";
import type { InvalidLabels, InvalidReason } from "../samples/metric-labels.ts";
import { sortByTime, trimToWindow } from "../samples/sample-order.ts";
import { scanTimestamp, scanValue } from "./sample-numbers.ts";
import { parseUncommonLine } from "./uncommon-line.ts";

/** A fault that makes the body incomplete: earlier series are valid, but the read has failed. */
export interface BodyFault {
  readonly kind: "fault";
  /**
   * `store_error`: the store wrote an error after the status 200; `malformed_line`: bytes that are not an
   * export line; `incomplete_body`: the last line is unterminated.
   */
  readonly reason: "store_error" | "malformed_line" | "incomplete_body";
  readonly message: string;
}

interface ExportLineLimits {
  /** Longer lines are skipped; the others are read. */
  readonly maxLineBytes: number;
}

const defaultLineLimits: ExportLineLimits = { maxLineBytes: 64 * 2 ** 20 };

/**
 * Decodes the body of `/api/v1/export` as it arrives: JSON lines, each with one series and its samples in
 * parallel arrays.
 *
 * `push` accepts any split of the body and calls `onSeries` for every line that ends in it, with the samples
 * in time order and within the window. No text is created, and only a line that is split is copied. The bytes
 * may be reused as soon as `push` returns; the SampleBuffer is valid until `onSeries` returns, or until the
 * promise that it returns has resolved.
 */
export class ExportLineDecoder {
  /** Lines passed on. */
  series = 0;
  /** Samples passed on. */
  samples = 0;
  /** Samples received outside of the requested window. */
  outsideWindow = 0;
  readonly invalid = new Map<InvalidReason, number>();
  lastInvalid: string | undefined;

  readonly #cache: LabelCache;
  readonly #window: Window;
  readonly #onSeries: SampleReceiver["onSeries"];
  readonly #maxLineBytes: number;
  readonly #samples = new SampleBuffer();
  #carry = Buffer.allocUnsafe(0);
  #carried = 0;
  /** Inside a line that is too long: skip to its end. */
  #skipping = false;
  #fault: BodyFault | undefined;
  /** Until it resolves, no line is decoded. */
  #waiting: Promise<void> | undefined;

  constructor(
    cache: LabelCache,
    window: Window,
    onSeries: SampleReceiver["onSeries"],
    limits: ExportLineLimits = defaultLineLimits,
  ) {
    this.#cache = cache;
    this.#window = window;
    this.#onSeries = onSeries;
    this.#maxLineBytes = limits.maxLineBytes;
  }

  /** The fault that ended decoding, if any. */
  get fault(): BodyFault | undefined {
    return this.#fault;
  }

  /** @returns a promise where `onSeries` returned one: wait for it before the next push */
  push(chunk: Buffer): Promise<void> | undefined {
    if (this.#fault !== undefined) return undefined;
    let start = 0;
    if (this.#carried > 0 || this.#skipping) {
      const newline = chunk.indexOf(10);
      if (newline === -1) {
        this.#keep(chunk, 0);
        return undefined;
      }
      start = newline + 1;
      this.#keep(chunk.subarray(0, start), 0);
      if (!this.#skipping) this.#lines(this.#carry, this.#carried);
      this.#carried = 0;
      this.#skipping = false;
      if (this.#waiting !== undefined) return this.#pushLater(this.#waiting, chunk.subarray(start));
    }
    // Only whole lines are decoded, so that the code below never checks for the end of the bytes: each scan
    // stops at the newline at the latest.
    const end = chunk.lastIndexOf(10) + 1;
    if (end > start) {
      const taken = this.#lines(start === 0 ? chunk : chunk.subarray(start), end - start);
      if (this.#waiting !== undefined) return this.#pushLater(this.#waiting, chunk.subarray(start + taken));
    }
    if (this.#fault === undefined) this.#keep(chunk, Math.max(start, end));
    return undefined;
  }

  async #pushLater(waiting: Promise<void>, rest: Buffer): Promise<void> {
    // A copy: the memory is reused once `push` returns.
    const copy = Buffer.from(rest);
    this.#waiting = undefined;
    await waiting;
    await this.push(copy);
  }

  /** Call when the body has ended. @returns the fault that makes the body incomplete, or undefined */
  finish(): BodyFault | undefined {
    if (this.#fault === undefined && (this.#carried > 0 || this.#skipping)) {
      const rest = this.#carry.subarray(0, this.#carried);
      this.#fault =
        this.#carried > 0 && rest[0] !== openBrace
          ? {
              kind: "fault",
              reason: "store_error",
              message: `the store responded with 200, then: ${excerpt(rest)}`,
            }
          : {
              kind: "fault",
              reason: "incomplete_body",
              message: "the store's response ends in the middle of a line",
            };
    }
    return this.#fault;
  }

  /** Stores the beginning of a line until its end arrives. */
  #keep(chunk: Buffer, from: number): void {
    const length = chunk.length - from;
    if (length === 0 || this.#skipping) return;
    const needed = this.#carried + length;
    if (needed > this.#maxLineBytes) {
      this.#countTooLong();
      this.#skipping = true;
      this.#carried = 0;
      this.#carry = Buffer.allocUnsafe(0);
      return;
    }
    if (needed > this.#carry.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#carry.length * 2, 4_096));
      this.#carry.copy(larger, 0, 0, this.#carried);
      this.#carry = larger;
    }
    chunk.copy(this.#carry, this.#carried, from);
    this.#carried = needed;
  }

  /**
   * Decodes `bytes` up to `end`, the position after the last line's newline.
   *
   * @returns the position up to which it has: less than `end` after a fault, and where others wait
   */
  #lines(bytes: Buffer, end: number): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let at = 0;
    while (at < end && this.#fault === undefined && this.#waiting === undefined) {
      const next = this.#fastLine(bytes, view, at);
      at = next === -1 ? this.#anyLine(bytes, view, at) : next;
    }
    return at;
  }

  /**
   * Decodes a line in VictoriaMetrics' usual format: `{"metric":{…},"values":[…],"timestamps":[…]}`.
   *
   * @returns the start of the next line, or -1 when the format differs
   */
  #fastLine(bytes: Buffer, view: DataView, start: number): number {
    if (!lineHead.isAt(view, start)) return -1;
    const metricStart = start + lineHead.length - 1;
    // A string cannot contain the bytes of `},"values":[`, since its quotes would be escaped: the first brace
    // followed by them ends the metric.
    const metricEnd = bytes.indexOf(closeBrace, metricStart) + 1;
    if (!valuesHead.isAt(view, metricEnd)) return -1;

    const samples = this.#samples;
    let capacity = samples.values.length;
    let count = 0;
    let at = metricEnd + valuesHead.length - 1;
    do {
      if (count === capacity) {
        samples.reserve(count + 1);
        capacity = samples.values.length;
      }
      at = scanValue(bytes, at + 1, samples, count);
      if (at === -1) return -1;
      count++;
    } while (bytes[at] === comma);

    if (!timestampsHead.isAt(view, at)) return -1;
    at += timestampsHead.length - 1;
    const times = samples.timestampsMs;
    let previousMs = Number.NEGATIVE_INFINITY;
    let sorted = true;
    let index = 0;
    do {
      if (index === count) return -1;
      at = scanTimestamp(bytes, at + 1, samples, index);
      if (at === -1) return -1;
      const timeMs = times[index] as number;
      if (timeMs < previousMs) sorted = false;
      previousMs = timeMs;
      index++;
    } while (bytes[at] === comma);
    if (index !== count || !lineTail.isAt(view, at)) return -1;
    at += lineTail.length;
    if (at - start > this.#maxLineBytes) return -1;

    samples.length = count;
    this.#emit(bytes, view, metricStart, metricEnd, sorted);
    return at;
  }

  /**
   * Decodes any other line: another order of keys, white space, an error, a brace in a label.
   *
   * @returns the start of the next line
   */
  #anyLine(bytes: Buffer, view: DataView, start: number): number {
    const newline = bytes.indexOf(10, start);
    if (newline - start >= this.#maxLineBytes) {
      this.#countTooLong();
      return newline + 1;
    }
    const line = parseUncommonLine(bytes, start, newline, this.#samples);
    switch (line.kind) {
      case "empty":
        break;
      case "series":
        this.#emit(bytes, view, line.metricStart, line.metricEnd, false);
        break;
      case "error":
        this.#fault = {
          kind: "fault",
          reason: "store_error",
          message: `the store responded with 200, then: ${excerpt(Buffer.from(line.text))}`,
        };
        break;
      case "malformed":
        this.#fail(bytes.subarray(start, newline));
        break;
    }
    return newline + 1;
  }

  #emit(bytes: Buffer, view: DataView, metricStart: number, metricEnd: number, sorted: boolean): void {
    const found = this.#cache.find(bytes, view, metricStart, metricEnd);
    if (found === undefined) {
      this.#fail(bytes.subarray(metricStart, metricEnd));
      return;
    }
    if (found.kind === "invalid") {
      this.#countInvalid(found);
      return;
    }
    const samples = this.#samples;
    if (!sorted) sortByTime(samples);
    const { fromMs, toMs } = this.#window;
    const last = samples.length - 1;
    if (
      last >= 0 &&
      ((samples.timestampsMs[0] as number) <= fromMs || (samples.timestampsMs[last] as number) > toMs)
    ) {
      this.outsideWindow += trimToWindow(samples, fromMs, toMs);
    }
    if (samples.length === 0) return;
    this.series++;
    this.samples += samples.length;
    this.#waiting = this.#onSeries(found, samples);
  }

  #fail(line: Buffer): void {
    const message = `the store's response holds a line that cannot be understood: ${excerpt(line)}`;
    this.#fault = { kind: "fault", reason: "malformed_line", message };
  }

  #countTooLong(): void {
    const message = `a line is longer than ${this.#maxLineBytes} bytes`;
    this.#countInvalid({ kind: "invalid", reason: "line_too_long", message });
  }

  #countInvalid(found: InvalidLabels): void {
    this.invalid.set(found.reason, (this.invalid.get(found.reason) ?? 0) + 1);
    this.lastInvalid = found.message;
  }
}

const comma = 44;
const openBrace = 123;
const closeBrace = 125;

/** A text of ASCII characters, compared four at a time: for so few bytes, Buffer.compare is slower. */
class FixedText {
  readonly length: number;
  readonly #words: number[] = [];
  readonly #rest: number[] = [];

  constructor(text: string) {
    const bytes = Buffer.from(text, "latin1");
    this.length = bytes.length;
    let at = 0;
    for (; at + 4 <= bytes.length; at += 4) this.#words.push(bytes.readInt32LE(at));
    for (; at < bytes.length; at++) this.#rest.push(bytes[at] as number);
  }

  isAt(view: DataView, start: number): boolean {
    if (start + this.length > view.byteLength) return false;
    let at = start;
    for (let index = 0; index < this.#words.length; index++, at += 4) {
      if (view.getInt32(at, true) !== this.#words[index]) return false;
    }
    for (let index = 0; index < this.#rest.length; index++, at++) {
      if (view.getUint8(at) !== this.#rest[index]) return false;
    }
    return true;
  }
}

const lineHead = new FixedText('{"metric":{');
const valuesHead = new FixedText(',"values":[');
const timestampsHead = new FixedText('],"timestamps":[');
const lineTail = new FixedText("]}\n");

/** Formats bytes that were not understood for a person: one line, at most 300 bytes of each end. */
function excerpt(bytes: Buffer): string {
  const text =
    bytes.length <= 600
      ? bytes.toString("utf8")
      : `${bytes.toString("utf8", 0, 300)} … ${bytes.toString("utf8", bytes.length - 300)}`;
  return text.replace(/\s+/g, " ").trim();
}
