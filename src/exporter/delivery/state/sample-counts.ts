import type { SampleBuffer } from "../../series/series.ts";

/** Number of samples in one step of time. */
export interface StepCount {
  /** End of the step, inclusive (Unix ms): a multiple of its length. */
  readonly endMs: number;
  /** Staleness markers included. */
  readonly samples: number;
  readonly staleMarkers: number;
}

/** The end of the step that a time belongs to: a step holds its end, not its start. */
export function stepEnd(ms: number, stepMs: number): number {
  return Math.ceil(ms / stepMs) * stepMs;
}

/** Counts the samples of a reading by steps of time. */
export class SampleCounts {
  readonly #stepMs: number;
  readonly #samples = new Map<number, number>();
  readonly #stale = new Map<number, number>();
  /** The last step, and what was added to it since: most series of a reading have the same steps. */
  #lastEndMs = Number.NEGATIVE_INFINITY;
  #lastSamples = 0;

  constructor(stepMs: number) {
    this.#stepMs = stepMs;
  }

  /** Adds one series' samples, which are in time order. */
  add(samples: SampleBuffer): void {
    const { timestampsMs, length } = samples;
    let endMs = -Infinity;
    let since = 0;
    for (let index = 0; index < length; index++) {
      const ms = timestampsMs[index] ?? 0;
      if (samples.isStale(index)) addTo(this.#stale, stepEnd(ms, this.#stepMs), 1);
      if (ms <= endMs) continue;
      this.#addSamples(endMs, index - since);
      since = index;
      endMs =
        ms <= this.#lastEndMs && ms > this.#lastEndMs - this.#stepMs
          ? this.#lastEndMs
          : stepEnd(ms, this.#stepMs);
    }
    this.#addSamples(endMs, length - since);
  }

  #addSamples(endMs: number, samples: number): void {
    if (endMs !== this.#lastEndMs && samples > 0) {
      addTo(this.#samples, this.#lastEndMs, this.#lastSamples);
      this.#lastEndMs = endMs;
      this.#lastSamples = 0;
    }
    this.#lastSamples += samples;
  }

  list(): StepCount[] {
    addTo(this.#samples, this.#lastEndMs, this.#lastSamples);
    this.#lastSamples = 0;
    return [...this.#samples].map(([endMs, samples]) => {
      return { endMs, samples, staleMarkers: this.#stale.get(endMs) ?? 0 };
    });
  }
}

function addTo(counts: Map<number, number>, endMs: number, samples: number): void {
  if (samples > 0) counts.set(endMs, (counts.get(endMs) ?? 0) + samples);
}
