import type { Refusal } from "../../remote-write/send/outcome.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { Batch } from "../batch/batch.ts";
import type { SeriesHash } from "../batch/series-hash.ts";
import type { ReceiverMemory } from "./receiver-memory.ts";
import type { RefusedBatch } from "./refused-batches.ts";

/** A refused batch of which nothing was accepted. */
export interface ParkedBatch extends RefusedBatch {
  /** When it was refused: a mark. */
  readonly at: number;
}

/** Samples that were refused, and of which none was accepted: nothing of them is rejected yet. */
export interface UnprovenRefusal {
  readonly refusal: Refusal;
  /** Some of the refused series. */
  readonly series: readonly SeriesHash[];
  /** All of them were sent before without a response: the receiver may have them. */
  readonly isInDoubt: boolean;
  /** They were not refused, but fail again and again. */
  readonly isFailing: boolean;
}

/** When as many batches are refused and nothing was accepted, the rest of the window is not tried. */
const mostParked = 16;
/** Series of a refused request of which later samples are tried. */
const mostTriedLater = 16;

/** The batches of a window that wait for a proof that the endpoint accepts anything, oldest first. */
export class ParkedBatches {
  #batches: ParkedBatch[] = [];
  /** None of their later samples may overtake them. */
  #series: SeriesHashTable | undefined;

  get size(): number {
    return this.#batches.length;
  }

  get isFull(): boolean {
    return this.#batches.length >= mostParked;
  }

  add(parked: ParkedBatch): void {
    this.#batches.push(parked);
    const { entries } = parked.batch;
    this.#series ??= new SeriesHashTable(entries.length);
    const series = this.#series;
    entries.each((high, low) => series.set(high, low, 1));
  }

  /** Whether a batch has samples of parked series. It has to wait, and so have later ones of all its series. */
  holdsBack({ entries }: Batch): boolean {
    const series = this.#series;
    if (series === undefined) return false;
    let isAny = false;
    entries.each((high, low) => {
      if (series.get(high, low) !== undefined) isAny = true;
    });
    if (isAny) entries.each((high, low) => series.set(high, low, 1));
    return isAny;
  }

  /** Removes the oldest one if something was accepted since it was refused. */
  takeProven(memory: ReceiverMemory): ParkedBatch | undefined {
    const [oldest] = this.#batches;
    return oldest !== undefined && memory.acceptedSince(oldest.at) ? this.#batches.shift() : undefined;
  }

  /** Removes all. */
  takeAll(): readonly ParkedBatch[] {
    return this.#batches.splice(0);
  }
}

/** @param turn other series are chosen in each one */
export function unprovenRefusalOf(parked: readonly ParkedBatch[], turn: number): UnprovenRefusal | undefined {
  const [first] = parked;
  if (first === undefined) return undefined;
  const series: SeriesHash[] = [];
  for (const { entries } of parked.map(({ batch }) => batch)) {
    const step = Math.max(1, Math.floor(entries.length / mostTriedLater));
    for (let at = turn % step; at < entries.length && series.length < mostTriedLater; at += step) {
      entries.eachOf(at, at + 1, (high, low) => series.push({ high, low }));
    }
  }
  const isInDoubt = parked.every(({ mayHaveArrived }) => mayHaveArrived);
  return { refusal: first.refusal, series, isInDoubt, isFailing: first.isFailing };
}
