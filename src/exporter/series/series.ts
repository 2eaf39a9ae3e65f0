import { LabelBlocks, type Span } from "./label-blocks.ts";

/** One label of a series. Names and values are Unicode text; a value may be empty only while it is being read. */
export interface Label {
  readonly name: string;
  readonly value: string;
}

/**
 * A series as the hot path passes it on: parsed once, then found again by the bytes that the store writes for it, so
 * that everything derived from its labels is computed once and kept with it.
 *
 * What a series costs is mostly objects, for the garbage collector to look at and for the processor to fetch
 * (bench/shuffled.bench.ts), so it has as few as can be: its labels may be read anew from the store's bytes (see
 * `source/label-cache.ts`), and the first form, with all that the hot path needs, is the series itself.
 */
export class Series {
  /** The block, from `start` to `end`; see {@link keepBlock}. */
  view: DataView = noView;
  start = 0;
  end = 0;
  hashHigh = 0;
  hashLow = 0;
  /**
   * False when the store's bytes of a label are no UTF-8 (U+FFFD stands for them in `labels`): no receiver can be given
   * this series as it is.
   */
  readonly isUtf8: boolean;
  #formIndex = -1;
  #form: unknown;
  protected held: readonly Label[] | undefined;
  #otherForms: unknown[] | undefined;
  #askedName: string | undefined;
  #askedValue: string | undefined;

  constructor(labels: readonly Label[], isUtf8 = true) {
    this.held = labels;
    this.isUtf8 = isUtf8;
  }

  get kind(): "series" {
    return "series";
  }

  /** The shape whose form is the series itself has no use for them. */
  get sentLabels(): undefined {
    return undefined;
  }

  /** As the store gave them, sorted by name (UTF-16 code units), no duplicate names, no empty values. */
  get labels(): readonly Label[] {
    return this.held ?? [];
  }

  /** Remembers its last response: every series of a tenant is asked for the same label in each read. */
  label(name: string): string | undefined {
    if (this.#askedName !== name) {
      this.#askedName = name;
      this.#askedValue = this.labels.find((label) => label.name === name)?.value;
    }
    return this.#askedValue;
  }

  get hasBlock(): boolean {
    return this.view !== noView;
  }

  /**
   * Copies the encoded labels of one shape, the first that asks, to where the series has its memory. With them the series is
   * that form, to be kept as such like any other.
   *
   * @param hashHigh of the block, as a signed half, as `hashLow` is
   */
  keepBlock(block: Uint8Array, hashHigh: number, hashLow: number): this {
    this.blockIsAt(this.placeBlock(block));
    this.hashHigh = hashHigh;
    this.hashLow = hashLow;
    return this;
  }

  protected placeBlock(block: Uint8Array): Span {
    return blocks.place(block);
  }

  protected blockIsAt({ view, start, end }: Span): void {
    this.view = view;
    this.start = start;
    this.end = end;
  }

  /**
   * What the remote-write room keeps with the series: the encoded labels of one shape (external and dropped labels, protocol).
   * Gone with the series when the reader's label cache evicts it.
   */
  form(index: number): unknown {
    return index === this.#formIndex ? this.#form : this.#otherForms?.[index];
  }

  keepForm(index: number, form: unknown): void {
    if (this.#formIndex === -1 || this.#formIndex === index) {
      this.#formIndex = index;
      this.#form = form;
    } else {
      this.#otherForms ??= [];
      this.#otherForms[index] = form;
    }
  }
}

const noView = new DataView(new ArrayBuffer(0));
/** Of all series that have no memory of their own. */
const blocks = new LabelBlocks();

/** The bits of Prometheus' staleness marker (model/value/value.go), as the high and low half of the 64-bit pattern. */
export const staleNanHigh = 0x7ff00000;
export const staleNanLow = 0x00000002;

/**
 * Samples of one series in time order, in arrays that are used again for the next series: valid only until the call
 * they were passed to returns.
 *
 * Values are moved as bits, never as numbers: JavaScript may change a NaN's bits when it touches one, and the stale
 * marker is a NaN with a meaning. Write numbers through `values`, a NaN through `setBits`, and copy `valueBytes`.
 */
export class SampleBuffer {
  length = 0;
  /** Unix epoch, ms; strictly what the store had: equal neighbours are possible where it keeps duplicates. */
  timestampsMs: Float64Array = new Float64Array(64);
  values: Float64Array = new Float64Array(64);
  /** The same memory as `values`, little-endian, 8 bytes a sample. */
  valueBytes: Buffer = Buffer.from(this.values.buffer);
  /** The same memory, as the low and the high half of each value. */
  valueHalves: Int32Array = new Int32Array(this.values.buffer);

  /** Makes room for `capacity` samples in all; what is there stays. */
  reserve(capacity: number): void {
    if (capacity <= this.values.length) return;
    const size = Math.max(capacity, this.values.length * 2);
    const timestampsMs = new Float64Array(size);
    const values = new Float64Array(size);
    timestampsMs.set(this.timestampsMs);
    // As bytes: a typed array's set() between equal types copies bits, but the specification does not promise it for NaN.
    Buffer.from(values.buffer).set(this.valueBytes);
    this.timestampsMs = timestampsMs;
    this.values = values;
    this.valueBytes = Buffer.from(values.buffer);
    this.valueHalves = new Int32Array(values.buffer);
  }

  /** Makes room for `count` samples behind those that are there. @returns the index of the first of them */
  reserveMore(count: number): number {
    const { length } = this;
    this.reserve(length + count);
    return length;
  }

  /** Sets the value at `index` (already reserved) to an exact 64-bit pattern. */
  setBits(index: number, high: number, low: number): void {
    this.valueHalves[index * 2] = low;
    this.valueHalves[index * 2 + 1] = high;
  }

  setStale(index: number): void {
    this.setBits(index, staleNanHigh, staleNanLow);
  }
}
