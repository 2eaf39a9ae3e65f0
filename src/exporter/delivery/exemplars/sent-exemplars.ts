import { hash } from "node:crypto";
import type { Window } from "../../metrics-store/ports/window.ts";
import { withLegalExemplars } from "../../remote-write/encoding/exemplars-field.ts";
import type { SeriesEncoder } from "../../remote-write/encoding/labels.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import type { EncodedSeries, Series } from "../../series/series.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { ExemplarSupply } from "../batch/batcher.ts";

/**
 * How long before a window's start its exemplars are looked for: an exemplar has the time of its observation,
 * and reaches the store with the next scrape.
 */
export const exemplarLookBackMs = 120_000;
/** Maximum number of exemplars to remember; older ones may be sent again, which receivers ignore. */
export const maxRemembered = 20_000;
/** Exemplars of a series in one window; further ones wait for the next one. A scrape usually has one. */
export const maxOfSeries = 100;

/** The exemplars that were sent with the samples of one window. */
interface SentWindow {
  readonly toMs: number;
  readonly hashes: SeriesHashTable;
}

/**
 * The exemplars that a sink has sent and that later windows could find again. In memory only: after a
 * restart, some are sent a second time.
 */
export class SentExemplars {
  /** In the order in which they began, open ones included. */
  #windows: SentWindow[] = [];

  /** Begins a run of a window, whose exemplars count as sent from now on, unless it is discarded. */
  begin({ fromMs, toMs }: Window, encoder: SeriesEncoder): WindowExemplars {
    this.#windows = this.#windows.filter((sent) => sent.toMs + exemplarLookBackMs > fromMs);
    const sent: SentWindow = { toMs, hashes: new SeriesHashTable() };
    this.#windows.push(sent);
    return new WindowExemplars(encoder, {
      note: (high, low) => this.#note(sent.hashes, high, low),
      discard: () => {
        this.#windows = this.#windows.filter((other) => other !== sent);
      },
    });
  }

  /** Number of exemplars remembered. */
  get size(): number {
    return this.#windows.reduce((sum, { hashes }) => sum + hashes.size, 0);
  }

  /** @returns whether the exemplar was not sent before */
  #note(current: SeriesHashTable, high: number, low: number): boolean {
    if (this.#windows.some(({ hashes }) => hashes.get(high, low) !== undefined)) return false;
    if (current.size >= maxRemembered) return true;
    current.set(high, low, 0);
    while (this.size > maxRemembered && this.#windows[0]?.hashes !== current) this.#windows.shift();
    return true;
  }
}

interface WindowMemory {
  note(high: number, low: number): boolean;
  discard(): void;
}

/** The exemplars of one run of a window: offered source by source, and taken with the samples of their series. */
export class WindowExemplars implements ExemplarSupply {
  /** Number of exemplars taken. */
  taken = 0;
  readonly #encoder: SeriesEncoder;
  readonly #memory: WindowMemory;
  /** Of each series, a number in {@link #offered}. */
  #index = new SeriesHashTable();
  #offered: Array<readonly Exemplar[]> = [];

  constructor(encoder: SeriesEncoder, memory: WindowMemory) {
    this.#encoder = encoder;
    this.#memory = memory;
  }

  /** Forgets what was offered: call before a source is read, and after the last one. */
  clear(): void {
    if (this.#offered.length === 0) return;
    this.#index = new SeriesHashTable();
    this.#offered = [];
  }

  /** @param exemplars in time order */
  offer(series: Series, exemplars: readonly Exemplar[]): void {
    const encoded = this.#encoder.encode(series);
    if (encoded.kind !== "series") return;
    this.#index.set(encoded.hashHigh, encoded.hashLow, this.#offered.push(exemplars) - 1);
  }

  take({ hashHigh, hashLow }: EncodedSeries): readonly Exemplar[] | undefined {
    const offered = this.#offered[this.#index.get(hashHigh, hashLow) ?? -1];
    if (offered === undefined) return undefined;
    const taken: Exemplar[] = [];
    for (const exemplar of offered) {
      if (taken.length === maxOfSeries) break;
      const own = hashOf(exemplar);
      if (this.#memory.note(hashHigh ^ own.high, hashLow ^ own.low)) taken.push(exemplar);
    }
    this.taken += taken.length;
    if (taken.length === 0) return undefined;
    return this.#encoder.shape.names === "legacy" ? withLegalExemplars(taken) : taken;
  }

  /** The window was not delivered: its exemplars are not sent. */
  discard(): void {
    this.#memory.discard();
  }
}

function hashOf({ labels, value, timestampMs }: Exemplar): { high: number; low: number } {
  const digest = hash("sha1", JSON.stringify([timestampMs, String(value), labels]), "buffer");
  return { high: digest.readInt32LE(0), low: digest.readInt32LE(4) };
}
