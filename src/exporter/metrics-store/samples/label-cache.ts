import { randomInt } from "node:crypto";
import { bytesOf, Slab, type Span } from "../../series/label-blocks.ts";
import { type Label, Series } from "../../series/series.ts";
import { LabelMemory } from "./label-memory.ts";
import {
  defaultLabelLimits,
  type InvalidLabels,
  LabelInterner,
  type LabelLimits,
  type MetricLabels,
  type MetricParser,
  parseMetric,
} from "./metric-labels.ts";

/**
 * Finds the Series of a line by the raw bytes of its metric object: one hash, one comparison, no strings
 * (bench/label-cache.bench.ts). Labels are parsed once, on a miss.
 *
 * Two generations: a series found in the older one moves to the younger; `nextGeneration()` drops the older
 * one whole, and the younger takes its place. So a series is evicted after one to two generations without a
 * lookup, and memory is freed without iterating over the series.
 *
 * Bounded in bytes: a full cache keeps its series until the next generation, and parses all others each time.
 * Reads return to the same series again and again: a cache that made room for the newest would drop each one
 * just before it is read again, and a store slightly larger than the cache would cost as much as no cache at
 * all (bench/growth.ts).
 */
export class LabelCache {
  readonly #memory: LabelMemory;
  readonly #limits: LabelLimits;
  /** Secret: it prevents writers of labels from choosing ones that all collide in one slot. */
  readonly #seed = randomInt(2 ** 31);
  readonly #interner = new LabelInterner();
  readonly #readers = new Map<MetricParser, LabelsOf>();
  /** The series parsed last, which still holds its labels. */
  #newest: CachedSeries | undefined;
  #young = new Generation();
  #old = new Generation();
  #evicted = 0;

  /**
   * @param memory maximum memory in bytes (estimated), including data that other rooms keep with a series; or
   *   the memory that it shares with other caches
   */
  constructor(memory: number | LabelMemory, limits: LabelLimits = defaultLabelLimits) {
    this.#memory = typeof memory === "number" ? new LabelMemory(memory) : memory;
    this.#limits = limits;
  }

  /** Number of series. */
  get size(): number {
    return this.#young.size + this.#old.size;
  }

  /** Memory used, estimated. */
  get bytes(): number {
    return this.#young.bytes + this.#old.bytes;
  }

  /** Series evicted so far. */
  get evicted(): number {
    return this.#evicted;
  }

  /**
   * @param view of the same memory as `bytes`
   * @param parse parser of the labels' encoding; two encodings never have the same bytes
   * @returns the series of the metric object at `start` to `end` (exclusive), the reason it is invalid, or
   *   undefined when it is not a JSON object of strings
   */
  find(
    bytes: Buffer,
    view: DataView,
    start: number,
    end: number,
    parse: MetricParser = parseMetric,
  ): Series | InvalidLabels | undefined {
    const hash = hashBytes(view, start, end, this.#seed);
    return this.#young.find(hash, bytes, start, end) ?? this.#findElsewhere(hash, bytes, start, end, parse);
  }

  /** Starts a new generation: drops series that were not found in the last one. */
  nextGeneration(): void {
    this.#newest?.forget();
    this.#newest = undefined;
    this.#evicted += this.#old.size;
    this.#memory.series -= this.#old.size;
    this.#memory.bytes -= this.#old.bytes;
    this.#old = this.#young;
    this.#young = new Generation();
  }

  /** Drops all series. */
  clear(): void {
    this.nextGeneration();
    this.nextGeneration();
  }

  #findElsewhere(
    hash: number,
    bytes: Buffer,
    start: number,
    end: number,
    parse: MetricParser,
  ): Series | InvalidLabels | undefined {
    const moved = this.#old.take(hash, bytes, start, end);
    if (moved !== undefined) {
      this.#young.add(hash, bytes, start, end, moved.series, moved.cost);
      return moved.series;
    }
    this.#newest?.forget();
    this.#newest = undefined;
    const metric = parse(bytes, start, end, this.#limits, this.#interner);
    if (metric?.kind !== "labels") return metric;
    const series = new CachedSeries(metric, this.#labelsOf(parse));
    // The key itself, and an estimate of equal size for the block that the remote-write room keeps with the
    // series.
    const cost = seriesBytes + 2 * (end - start);
    if (this.#memory.bytes + cost > this.#memory.maxBytes) return series;
    this.#young.add(hash, bytes, start, end, series, cost);
    this.#memory.series++;
    this.#memory.bytes += cost;
    this.#newest = series;
    return series;
  }

  #labelsOf(parse: MetricParser): LabelsOf {
    let labelsOf = this.#readers.get(parse);
    if (labelsOf === undefined) {
      labelsOf = (key, start, end) => {
        const metric = parse(key, start, end, this.#limits, this.#interner);
        return metric?.kind === "labels" ? metric.labels : [];
      };
      this.#readers.set(parse, labelsOf);
    }
    return labelsOf;
  }
}

/** Estimated memory of a series besides its key and its block: the object, table entry and array element. */
const seriesBytes = 250;
const slabBytes = 2 ** 19;

/** Parses labels again from a series' key. */
type LabelsOf = (key: Buffer, start: number, end: number) => readonly Label[];

/**
 * A series whose labels are its key in the cache. The label objects live only until the next series is
 * parsed: the encoder has used them by then. Rare later accesses parse the key again.
 */
class CachedSeries extends Series {
  readonly #labelsOf: LabelsOf;
  #slab: Slab | undefined;
  #keyStart = 0;
  #keyEnd = 0;

  constructor({ labels, isUtf8 }: MetricLabels, labelsOf: LabelsOf) {
    super(labels, isUtf8);
    this.#labelsOf = labelsOf;
  }

  override get labels(): readonly Label[] {
    if (this.held !== undefined || this.#slab === undefined) return super.labels;
    return this.#labelsOf(this.#slab.bytes, this.#keyStart, this.#keyEnd);
  }

  /** The block, if any, moves with the key. @param slab with room for both */
  moveTo(slab: Slab, key: Span): void {
    this.#slab = slab;
    this.#keyStart = key.start;
    this.#keyEnd = key.end;
    if (this.isEncoded) this.blockIsAt(slab.place(bytesOf(this)));
  }

  protected override placeBlock(block: Uint8Array): Span {
    return this.#slab?.hasRoomFor(block.length) ? this.#slab.place(block) : super.placeBlock(block);
  }

  forget(): void {
    this.held = undefined;
  }
}

/**
 * A hash table with open addressing. Keys are stored one after another outside of the garbage collector's
 * heap, each followed by its series' block, so that reading the key makes the processor prefetch the block
 * (bench/shuffled.bench.ts).
 */
class Generation {
  size = 0;
  bytes = 0;
  /** Index of an entry + 1; 0 is a free slot. The number of slots is a power of two. */
  #slots = new Int32Array(1_024);
  /** Fields of an entry side by side, so that a search touches one cache line: hash, slab, start, length. */
  #entries = new Int32Array(512 * 4);
  #series: Array<CachedSeries | undefined> = [];
  #slabs: Slab[] = [];

  find(hash: number, bytes: Buffer, start: number, end: number): Series | undefined {
    const index = this.#indexOf(hash, bytes, start, end);
    return index === -1 ? undefined : this.#series[index];
  }

  /**
   * Finds and removes an entry; it stays as a tombstone until the generation is dropped. Its cost is that of
   * an average entry, which keeps the sum correct.
   */
  take(
    hash: number,
    bytes: Buffer,
    start: number,
    end: number,
  ): { readonly series: CachedSeries; readonly cost: number } | undefined {
    const index = this.#indexOf(hash, bytes, start, end);
    if (index === -1) return undefined;
    const series = this.#series[index];
    if (series === undefined) return undefined;
    const cost = this.bytes / this.size;
    this.#series[index] = undefined;
    this.bytes -= cost;
    this.size--;
    return { series, cost };
  }

  add(hash: number, bytes: Buffer, start: number, end: number, series: CachedSeries, cost: number): void {
    const index = this.#series.length;
    if (index * 2 >= this.#slots.length) this.#grow();
    const length = end - start;
    const slab = this.#slabFor(length + (series.isEncoded ? series.end - series.start : length));
    const key = slab.place(bytes.subarray(start, end));
    series.moveTo(slab, key);
    const entry = index * 4;
    this.#entries[entry] = hash;
    this.#entries[entry + 1] = this.#slabs.length - 1;
    this.#entries[entry + 2] = key.start;
    this.#entries[entry + 3] = length;
    this.#series.push(series);
    this.#place(hash, index);
    this.size++;
    this.bytes += cost;
  }

  #slabFor(bytes: number): Slab {
    const last = this.#slabs.at(-1);
    if (last?.hasRoomFor(bytes)) return last;
    const slab = new Slab(Math.max(slabBytes, bytes));
    this.#slabs.push(slab);
    return slab;
  }

  #indexOf(hash: number, bytes: Buffer, start: number, end: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = (this.#slots[slot] as number) - 1;
      if (index === -1) return -1;
      const entry = index * 4;
      const length = end - start;
      if (this.#entries[entry] !== hash || this.#entries[entry + 3] !== length) continue;
      const from = this.#entries[entry + 2] as number;
      const slab = this.#slabs[this.#entries[entry + 1] as number] as Slab;
      if (slab.bytes.compare(bytes, start, end, from, from + length) === 0) return index;
    }
  }

  #place(hash: number, index: number): void {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = index + 1;
  }

  #grow(): void {
    const count = this.#series.length;
    this.#slots = new Int32Array(this.#slots.length * 2);
    const entries = new Int32Array(this.#entries.length * 2);
    entries.set(this.#entries);
    this.#entries = entries;
    for (let index = 0; index < count; index++) this.#place(entries[index * 4] as number, index);
  }
}

/**
 * A 32-bit hash of the bytes, sixteen at a time in four independent chains that a processor runs in parallel.
 * Every byte counts: series often differ in one digit, and collisions would make every search slow.
 */
function hashBytes(view: DataView, start: number, end: number, seed: number): number {
  let a = seed | 0;
  let b = ~seed;
  let c = seed ^ 0x9e3779b9;
  let d = seed ^ 0x3c6ef372;
  let at = start;
  for (const wholeEnd = end - 16; at <= wholeEnd; at += 16) {
    a = Math.imul(a ^ view.getInt32(at, true), 0x5bd1e995);
    b = Math.imul(b ^ view.getInt32(at + 4, true), 0x1b873593);
    c = Math.imul(c ^ view.getInt32(at + 8, true), 0x2c1b3c6d);
    d = Math.imul(d ^ view.getInt32(at + 12, true), 0x297a2d39);
    a ^= a >>> 15;
    b ^= b >>> 13;
    c ^= c >>> 15;
    d ^= d >>> 13;
  }
  for (const wholeEnd = end - 4; at <= wholeEnd; at += 4) {
    a = Math.imul(a ^ view.getInt32(at, true), 0x5bd1e995);
    a ^= a >>> 15;
  }
  for (; at < end; at++) a = Math.imul(a ^ view.getUint8(at), 0x01000193);
  a = Math.imul(a ^ (c >>> 11), 0x9e3779b1) ^ c;
  b = Math.imul(b ^ (d >>> 11), 0x85ebca77) ^ d;
  let hash = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  return hash ^ (hash >>> 15);
}
