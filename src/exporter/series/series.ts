import type { EncodedHistograms } from "./encoded-histograms.ts";
import { LabelBlocks, type Span } from "./label-blocks.ts";
import { staleNanHigh, staleNanLow } from "./stale-marker.ts";

/** One label of a series. Names and values are Unicode text; a value may be empty only during parsing. */
export interface Label {
  readonly name: string;
  readonly value: string;
}

/** The two halves of a hash of labels, signed. */
export interface LabelsHash {
  readonly hashHigh: number;
  readonly hashLow: number;
}

/**
 * The labels of a series as remote-write sends them, for one shape (external and dropped labels, protocol,
 * names): from `start` to `end` of `view` lie the `labels` fields of a `TimeSeries` message of remote-write
 * 1.0, sorted by name, each name once, no empty value. The encoder of remote-write makes it, and a series
 * keeps it: each series is encoded once.
 */
export interface EncodedSeries extends Span {
  readonly kind: "series";
  /**
   * The series' identity in journals and in the sent log: a strong 64-bit hash of the labels, as two signed
   * halves (small integers to V8, where unsigned ones would be objects). It is taken before names are made
   * legal: neither the protocol nor the form of names, which may change while a window is open, matters.
   */
  readonly hashHigh: number;
  readonly hashLow: number;
  /** Only where a name was made legal: the hash of the labels as sent, which is another one. */
  readonly renamed?: LabelsHash;
  /**
   * Only where relabelling rules changed the labels, before names are made legal. The series' identity is
   * then that of its labels in the store: it outlives an edit of the rules.
   */
  readonly relabelled?: Relabelled | undefined;
  /** The labels as sent, in order. Only for protocol 2.0, which references texts individually. */
  readonly sentLabels: readonly Label[] | undefined;
}

/** The hash of the labels after relabelling, and what else of the series rules may have changed. */
export interface Relabelled extends LabelsHash {
  /** The metric's name in the store. */
  readonly storeName: string;
}

/** Results to keep with a series besides the first. */
const maxOtherTests = 16;
/** Forms to keep besides the first: those of tenants' rules that were edited are of no use any longer. */
const maxOtherForms = 32;

/**
 * A series as the hot path uses it: parsed once, then found by the bytes that the store writes for it, so
 * that everything derived from its labels is computed once and kept with it.
 *
 * The cost of a series is mostly its objects, which the garbage collector traces and the processor fetches
 * (bench/shuffled.bench.ts), so it has as few as possible: its labels may be parsed again from the store's
 * bytes (see `metrics-store/samples/label-cache.ts`), and its first encoded form is the series itself.
 */
export class Series implements EncodedSeries {
  /** The first encoded form; see {@link keepEncoded}. */
  view: DataView = noView;
  start = 0;
  end = 0;
  hashHigh = 0;
  hashLow = 0;
  relabelled: Relabelled | undefined;
  /**
   * False when a label has bytes that are not UTF-8 (U+FFFD replaces them in `labels`): the series cannot be
   * sent unchanged to any receiver.
   */
  readonly isUtf8: boolean;
  #formIndex = -1;
  #form: unknown;
  protected held: readonly Label[] | undefined;
  #otherForms: Map<number, unknown> | undefined;
  #askedName: string | undefined;
  #askedValue: string | undefined;
  #tested: ((labels: readonly Label[]) => boolean) | undefined;
  #passed = false;
  #otherTests: Map<(labels: readonly Label[]) => boolean, boolean> | undefined;

  constructor(labels: readonly Label[], isUtf8 = true) {
    this.held = labels;
    this.isUtf8 = isUtf8;
  }

  get kind(): "series" {
    return "series";
  }

  /** The series itself is a form of protocol 1.0 only. */
  get sentLabels(): undefined {
    return undefined;
  }

  /** As received from the store, sorted by name (UTF-16 code units); no duplicate names, no empty values. */
  get labels(): readonly Label[] {
    return this.held ?? [];
  }

  /** Caches its last result: each read asks every series of a tenant for the same label. */
  label(name: string): string | undefined {
    if (this.#askedName !== name) {
      this.#askedName = name;
      this.#askedValue = this.labels.find((label) => label.name === name)?.value;
    }
    return this.#askedValue;
  }

  /**
   * Whether a predicate holds for the labels. Keeps the last results: each read of a selector asks it again
   * of every series. A series that is not UTF-8 fulfils it, since its labels are not what they seem.
   */
  fulfils(predicate: (labels: readonly Label[]) => boolean): boolean {
    if (this.#tested === predicate) return this.#passed;
    const known = this.#otherTests?.get(predicate);
    if (known !== undefined) return known;
    const passed = !this.isUtf8 || predicate(this.labels);
    if (this.#tested === undefined) {
      this.#tested = predicate;
      this.#passed = passed;
    } else {
      // Several selectors select the series.
      this.#otherTests ??= new Map();
      if (this.#otherTests.size >= maxOtherTests) this.#otherTests.clear();
      this.#otherTests.set(predicate, passed);
    }
    return passed;
  }

  get isEncoded(): boolean {
    return this.view !== noView;
  }

  /**
   * Copies the encoded labels of one shape, the first to ask, to the series' own memory. The series then is
   * the encoded form of that shape.
   *
   * @param hashHigh high half of the labels' hash, signed; `hashLow` likewise
   */
  keepEncoded(labels: Uint8Array, hashHigh: number, hashLow: number, relabelled?: Relabelled): this {
    this.blockIsAt(this.placeBlock(labels));
    this.hashHigh = hashHigh;
    this.hashLow = hashLow;
    this.relabelled = relabelled;
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
   * The form of one shape, kept with the series: its encoded labels, or why it cannot be sent. It is freed
   * with the series when the reader's label cache evicts it.
   */
  form(index: number): unknown {
    return index === this.#formIndex ? this.#form : this.#otherForms?.get(index);
  }

  keepForm(index: number, form: unknown): void {
    if (this.#formIndex === -1 || this.#formIndex === index) {
      this.#formIndex = index;
      this.#form = form;
    } else {
      this.#otherForms ??= new Map();
      this.#otherForms.set(index, form);
      if (this.#otherForms.size <= maxOtherForms) return;
      const [oldest] = this.#otherForms.keys();
      if (oldest !== undefined) this.#otherForms.delete(oldest);
    }
  }
}

const noView = new DataView(new ArrayBuffer(0));
/** Shared by all series without memory of their own. */
const blocks = new LabelBlocks();

/** Size of a number with its time in a request. */
const numberBytes = 18;

/**
 * Samples of one series in time order, in arrays that are reused for the next series: valid only until the
 * call that receives them returns.
 *
 * Values are moved as bits, never as numbers: JavaScript may change a NaN's bits when it touches one, and a
 * staleness marker is a NaN with a meaning. Write numbers through `values`, a NaN through `setBits`, and copy
 * `valueBytes`.
 */
export class SampleBuffer {
  length = 0;
  /** Unix epoch, ms; exactly as in the store: neighbours may be equal if it keeps duplicates. */
  timestampsMs: Float64Array = new Float64Array(64);
  values: Float64Array = new Float64Array(64);
  /** The same memory as `values`, little-endian, 8 bytes per sample. */
  valueBytes: Buffer = Buffer.from(this.values.buffer);
  /** The same memory, as the low and the high half of each value. */
  valueHalves: Int32Array = new Int32Array(this.values.buffer);
  /**
   * Set when the samples are native histograms, not numbers: the low half of each value then is the start of
   * the encoded histogram in these bytes, the high half its end.
   */
  histograms: EncodedHistograms | undefined;
  /**
   * Set when the samples before these were of another kind (numbers, histograms of integers, of floats): both
   * in one request would lose the earlier ones, since a Prometheus stores a request's samples kind by kind.
   */
  followsOtherKind = false;

  constructor(histograms?: EncodedHistograms) {
    this.histograms = histograms;
  }

  /** Makes room for `capacity` samples in total; existing ones stay. */
  reserve(capacity: number): void {
    if (capacity <= this.values.length) return;
    const size = Math.max(capacity, this.values.length * 2);
    const timestampsMs = new Float64Array(size);
    const values = new Float64Array(size);
    timestampsMs.set(this.timestampsMs);
    // As bytes: a typed array's set() between equal types copies bits, but the specification does not
    // guarantee it for NaN.
    Buffer.from(values.buffer).set(this.valueBytes);
    this.timestampsMs = timestampsMs;
    this.values = values;
    this.valueBytes = Buffer.from(values.buffer);
    this.valueHalves = new Int32Array(values.buffer);
  }

  /** Makes room for `count` more samples. @returns the index of the first of them */
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

  /** Adds the histogram that was written last, from `start` up to the end of {@link histograms}. */
  addHistogram(timestampMs: number, start: number): void {
    const index = this.reserveMore(1);
    this.timestampsMs[index] = timestampMs;
    const { histograms } = this;
    if (histograms?.isOfFloats(start)) histograms.hasFloats = true;
    else if (histograms !== undefined) histograms.hasIntegers = true;
    this.setBits(index, histograms?.length ?? start, start);
    this.length = index + 1;
  }

  /** Adds a copy of a sample of the same kind, at another time (ms). */
  append(from: SampleBuffer, index: number, timestampMs: number): void {
    const { histograms } = this;
    if (histograms !== undefined && from.histograms !== undefined) {
      const { length } = histograms;
      const halves = from.valueHalves;
      histograms.copyFrom(from.histograms, halves[index * 2] ?? 0, halves[index * 2 + 1] ?? 0, timestampMs);
      this.addHistogram(timestampMs, length);
      return;
    }
    const to = this.reserveMore(1);
    this.timestampsMs[to] = timestampMs;
    from.valueBytes.copy(this.valueBytes, to * 8, index * 8, index * 8 + 8);
    this.length = to + 1;
  }

  /**
   * What the samples from `start` up to, not including, `end` weigh in a request: a number is 1, a histogram
   * as much as its bytes would hold numbers.
   */
  weight(start: number, end: number): number {
    if (this.histograms === undefined) return end - start;
    let weight = 0;
    for (let index = start; index < end; index++) {
      const bytes = (this.valueHalves[index * 2 + 1] ?? 0) - (this.valueHalves[index * 2] ?? 0);
      weight += Math.max(1, Math.ceil(bytes / numberBytes));
    }
    return weight;
  }

  /** See {@link followsOtherKind}. */
  kind(index: number): "number" | "integer histogram" | "float histogram" {
    if (this.histograms === undefined) return "number";
    const isOfFloats = this.histograms.isOfFloats(this.valueHalves[index * 2] ?? 0);
    return isOfFloats ? "float histogram" : "integer histogram";
  }

  /** Whether it is a histogram with custom buckets, which remote write 1.0 does not have. */
  hasCustomBuckets(index: number): boolean {
    const halves = this.valueHalves;
    return this.histograms?.isCustomBuckets(halves[index * 2] ?? 0, halves[index * 2 + 1] ?? 0) ?? false;
  }

  setStale(index: number): void {
    this.setBits(index, staleNanHigh, staleNanLow);
  }

  isStale(index: number): boolean {
    const halves = this.valueHalves;
    if (this.histograms !== undefined) {
      return this.histograms.isStale(halves[index * 2] ?? 0, halves[index * 2 + 1] ?? 0);
    }
    return halves[index * 2 + 1] === staleNanHigh && halves[index * 2] === staleNanLow;
  }
}
