import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/core/log.ts";
import type { SampleCounter } from "../../metrics-store/sample-counter.ts";
import type { Tenant } from "../../metrics-store/sample-reader.ts";
import type { SinkStats } from "../sink-stats.ts";
import type { StepCount } from "./sample-counts.ts";

export interface CountCheckDeps {
  readonly counter: SampleCounter;
  readonly stepMs: number;
  /** Older samples are not sent. */
  readonly lookBackMs: number;
  readonly sink: string;
  readonly owner: string;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What a check looks at; times in ms. */
export interface CheckReach {
  /** The store's time. */
  readonly nowMs: number;
  /** How far back to look; Infinity for everything. */
  readonly depthMs: number;
  /** Count staleness markers, too: another request, which finds little. */
  readonly withMarkers: boolean;
}

/** Steps of which the store's count differs from the known one; each with what it has there now. */
export interface CheckedSteps {
  /** To be read again. */
  readonly more: readonly StepCount[];
  /** Nothing is to be done, but the new count is to be known. */
  readonly corrected: readonly StepCount[];
}

const noSteps: CheckedSteps = { more: [], corrected: [] };

/** Compares what the store has with what is known, for the sources of one sink. */
export class CountCheck {
  readonly #deps: CountCheckDeps;
  readonly #reach: CheckReach;
  readonly #signal: AbortSignal;

  constructor(deps: CountCheckDeps, reach: CheckReach, signal: AbortSignal) {
    this.#deps = deps;
    this.#reach = reach;
    this.#signal = signal;
  }

  /** @param known steps in order */
  async run(
    source: { readonly selector: string; readonly tenant: Tenant | undefined },
    known: readonly StepCount[],
  ): Promise<CheckedSteps> {
    const { stepMs, clock, stats, log, sink } = this.#deps;
    const { nowMs, depthMs, withMarkers } = this.#reach;
    const steps = known.filter(({ endMs }) => endMs - stepMs >= nowMs - depthMs);
    const first = steps[0];
    const last = steps.at(-1);
    if (first === undefined || last === undefined) return noSteps;
    const window = { fromMs: first.endMs - stepMs, toMs: last.endMs };
    const startMs = clock.monotonicMs();
    const counts = await this.#count(source, window, "samples");
    const stale = withMarkers ? await this.#count(source, window, "staleMarkers") : undefined;
    stats.lateChecks++;
    stats.lateCheckSeconds += (clock.monotonicMs() - startMs) / 1_000;
    if (typeof counts === "string") {
      stats.lateCheckFailures++;
      log.debug({ sink, message: counts }, "the store's samples could not be counted");
      return noSteps;
    }
    return this.#compare(steps, window.fromMs, counts, typeof stale === "string" ? undefined : stale);
  }

  /** @returns the reason if there is no count; undefined if this store has none */
  async #count(
    { selector, tenant }: { readonly selector: string; readonly tenant: Tenant | undefined },
    window: { readonly fromMs: number; readonly toMs: number },
    of: "samples" | "staleMarkers",
  ): Promise<readonly number[] | string | undefined> {
    const { counter, stepMs, owner } = this.#deps;
    const request = { selector, tenant, window, stepMs, of, owner };
    const outcome = await counter.count(request, this.#signal);
    if (outcome.kind === "failed") return outcome.message;
    return outcome.kind === "counts" ? outcome.counts : undefined;
  }

  #compare(
    steps: readonly StepCount[],
    fromMs: number,
    counts: readonly number[] | undefined,
    stale: readonly number[] | undefined,
  ): CheckedSteps {
    const { stats, lookBackMs, stepMs } = this.#deps;
    const more: StepCount[] = [];
    const corrected: StepCount[] = [];
    for (const { endMs, samples, staleMarkers } of steps) {
      const index = (endMs - fromMs) / stepMs - 1;
      const known = samples - staleMarkers;
      const count = counts?.[index] ?? known;
      const staleCount = stale?.[index] ?? staleMarkers;
      if (count === known && staleCount === staleMarkers) continue;
      const step = { endMs, samples: count + staleCount, staleMarkers: staleCount };
      const isMore = count > known || staleCount > staleMarkers;
      if (isMore && endMs > this.#reach.nowMs - lookBackMs) {
        more.push(step);
        continue;
      }
      corrected.push(step);
      if (isMore) stats.tooLate += Math.max(0, step.samples - samples);
      else stats.vanished += Math.max(0, samples - step.samples);
    }
    return { more, corrected };
  }
}
