import type { Clock } from "../../base/core/clock.ts";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { SourceMetrics } from "./ports/source-metrics.ts";
import { CostlyReads, ReadPlace } from "./read-place.ts";
import { LabelMemory } from "./samples/label-memory.ts";
import { StoreTrouble } from "./store-trouble.ts";

interface ReadLimitsOptions {
  /** Maximum number of open reads. */
  readonly concurrency: number;
  /** Maximum memory for parsed labels. */
  readonly cacheMaxBytes: number;
  readonly clock: Clock;
}

/** A series not read for one to two of these intervals is dropped, and so is an owner without reads. */
export const forgetEveryMs = 10 * 60_000;

/** The limits, metrics and trouble of all reads, which the readers of several tenants share. */
export class ReadLimits {
  readonly semaphore: FairSemaphore;
  readonly labels: LabelMemory;
  readonly metrics: SourceMetrics;
  readonly trouble: StoreTrouble;
  /** Reads that wait for their place. */
  waitingReads = 0;
  readonly #costly = new CostlyReads();
  readonly #clock: Clock;
  #forgotAtMs: number;

  constructor({ concurrency, cacheMaxBytes, clock }: ReadLimitsOptions) {
    this.semaphore = new FairSemaphore(concurrency, "all-but-one");
    this.labels = new LabelMemory(cacheMaxBytes);
    this.#clock = clock;
    this.trouble = new StoreTrouble(clock);
    this.#forgotAtMs = clock.monotonicMs();
    this.metrics = new SourceMetrics({
      openReads: () => this.semaphore.taken + this.#costly.open,
      waitingReads: () => this.waitingReads,
      cachedSeries: () => this.labels.series,
      cacheBytes: () => this.labels.bytes,
    });
  }

  /** The place for a read of this owner, not yet acquired. */
  place(owner: string): ReadPlace {
    return new ReadPlace(this.semaphore, this.#costly, owner);
  }

  /** Call from time to time. */
  forgetIdleOwners(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#forgotAtMs < forgetEveryMs) return;
    this.#forgotAtMs = nowMs;
    this.semaphore.forgetIdle();
  }
}
