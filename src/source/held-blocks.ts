import { setImmediate as endOfTurn } from "node:timers/promises";
import { SampleBuffer, type Series } from "../core/series.ts";
import { sortByTime } from "./sample-order.ts";

/** How long passing on may keep the event loop at a time, as while a body is read; see `answer-body.ts`. */
const longestTurnMs = 2;
/** Between two looks at the time. */
const blocksOfTurn = 64;

/**
 * Holds the samples of a read whose series come in pieces, in any order, and passes them on when all are there: each series
 * once, its samples in time order. 16 bytes a sample and some 40 bytes a piece.
 */
export class HeldBlocks {
  samples = 0;
  #series: Series[] = [];
  /** Where each block's samples begin; the next one's begin where they end. */
  #starts: number[] = [];
  #timestampsMs = new Float64Array(2 ** 16);
  /** Bits, not numbers: see SampleBuffer. */
  #valueBytes = Buffer.allocUnsafeSlow(2 ** 19);

  /** Forgets everything but the memory. */
  clear(): void {
    this.samples = 0;
    this.#series = [];
    this.#starts = [];
  }

  /** @param samples in time order; copied */
  add(series: Series, samples: SampleBuffer): void {
    const start = this.samples;
    const { length } = samples;
    if (start + length > this.#timestampsMs.length) this.#grow(start + length);
    const from = samples.timestampsMs;
    const into = this.#timestampsMs;
    for (let index = 0; index < length; index++) into[start + index] = from[index] as number;
    samples.valueBytes.copy(this.#valueBytes, start * 8, 0, length * 8);
    this.#series.push(series);
    this.#starts.push(start);
    this.samples = start + length;
  }

  /**
   * @param onSeries as for a decoder: the samples are valid until it returns
   * @param goesOn asked between series
   * @returns how many series were passed on, or undefined when not all of them
   * @throws what the callbacks throw
   */
  async passOn(
    onSeries: (series: Series, samples: SampleBuffer) => void,
    goesOn: () => boolean,
  ): Promise<number | undefined> {
    const { earlier, isLatest } = blocksBySeries(this.#series);
    const samples = new SampleBuffer();
    let passed = 0;
    let turnEndsMs = performance.now() + longestTurnMs;
    for (let block = 0; block < this.#series.length; block++) {
      if (block % blocksOfTurn === 0 && performance.now() > turnEndsMs) {
        await endOfTurn();
        turnEndsMs = performance.now() + longestTurnMs;
      }
      if (isLatest[block] === 0) continue;
      if (!goesOn()) return undefined;
      this.#gather(block, earlier, samples);
      onSeries(this.#series[block] as Series, samples);
      passed++;
    }
    return passed;
  }

  /** Puts the samples of a series' blocks, the last of which is `latest`, in time order. */
  #gather(latest: number, earlier: Int32Array, into: SampleBuffer): void {
    into.length = 0;
    for (let block = latest; block !== -1; block = earlier[block] as number) this.#append(block, into);
    if (earlier[latest] !== -1) sortByTime(into);
  }

  #append(block: number, samples: SampleBuffer): void {
    const start = this.#starts[block] as number;
    const length = (this.#starts[block + 1] ?? this.samples) - start;
    const at = samples.length;
    samples.reserve(at + length);
    const from = this.#timestampsMs;
    const into = samples.timestampsMs;
    for (let index = 0; index < length; index++) into[at + index] = from[start + index] as number;
    this.#valueBytes.copy(samples.valueBytes, at * 8, start * 8, (start + length) * 8);
    samples.length = at + length;
  }

  #grow(needed: number): void {
    const size = Math.max(needed, this.#timestampsMs.length * 2);
    const timestampsMs = new Float64Array(size);
    timestampsMs.set(this.#timestampsMs);
    this.#timestampsMs = timestampsMs;
    const valueBytes = Buffer.allocUnsafeSlow(size * 8);
    this.#valueBytes.copy(valueBytes);
    this.#valueBytes = valueBytes;
  }
}

/**
 * Of each block: the one before it of the same series, or -1, and whether it is the last one (1 or 0). By a hash table, since a Map
 * of all series takes several times as long.
 */
function blocksBySeries(series: readonly Series[]): { earlier: Int32Array; isLatest: Uint8Array } {
  const earlier = new Int32Array(series.length).fill(-1);
  const isLatest = new Uint8Array(series.length).fill(1);
  const bits = Math.max(1, 33 - Math.clz32(series.length));
  /** The latest block of each series + 1; 0 is a free slot. */
  const slots = new Int32Array(2 ** bits);
  const mask = slots.length - 1;
  for (let block = 0; block < series.length; block++) {
    const own = series[block] as Series;
    let slot = Math.imul(own.number, 0x9e3779b1) >>> (32 - bits);
    for (; ; slot = (slot + 1) & mask) {
      const other = (slots[slot] as number) - 1;
      if (other === -1) break;
      if (series[other] !== own) continue;
      earlier[block] = other;
      isLatest[other] = 0;
      break;
    }
    slots[slot] = block + 1;
  }
  return { earlier, isLatest };
}
