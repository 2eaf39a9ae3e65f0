import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { Tenant } from "../../metrics-store/ports/sample-reader.ts";
import type { StepCount } from "../state/sample-counts.ts";
import type { SinkStats } from "../stats/sink-stats.ts";

interface CountCheckDeps {
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
  /** Count all staleness markers, too: another request, which finds little. */
  readonly withMarkers: boolean;
  /** When the sink last read a step's samples, by the monotonic clock; undefined: long ago. */
  readonly readAtMs: (endMs: number) => number | undefined;
}

/** Steps of which the store's count differs from the known one; each with what it has there now. */
interface CheckedSteps {
  /** Whether the store has counted its samples, and its staleness markers where they were wanted. */
  readonly hasSamples: boolean;
  readonly hasMarkers: boolean;
  /** To be read again. */
  readonly more: readonly StepCount[];
  /** Nothing is to be done, but the new count is to be known. */
  readonly corrected: readonly StepCount[];
}

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
    const { stepMs, clock, stats } = this.#deps;
    const { nowMs, depthMs, withMarkers } = this.#reach;
    const ofSamples = known.filter(({ endMs }) => endMs - stepMs >= nowMs - depthMs);
    const ofMarkers = withMarkers ? known : [];
    if (ofSamples.length + ofMarkers.length === 0) {
      return { hasSamples: true, hasMarkers: true, more: [], corrected: [] };
    }
    const startMs = clock.monotonicMs();
    const counts = await this.#count(source, ofSamples, "samples");
    const stale = await this.#count(source, ofMarkers, "staleMarkers");
    stats.lateChecks++;
    stats.lateCheckSeconds += (clock.monotonicMs() - startMs) / 1_000;
    if (counts === "failed" || stale === "failed") stats.lateCheckFailures++;
    const has = { hasSamples: counts !== "failed", hasMarkers: stale !== "failed" };
    // Without its samples, a step with another number of markers looks like one that was replaced.
    if (counts === "failed") return { ...has, more: [], corrected: [] };
    return { ...has, ...this.#compare(known, counts, stale === "failed" ? notCounted : stale) };
  }

  /** The store's counts of these steps. */
  async #count(
    { selector, tenant }: { readonly selector: string; readonly tenant: Tenant | undefined },
    steps: readonly StepCount[],
    of: "samples" | "staleMarkers",
  ): Promise<Counted | "failed"> {
    const { counter, stepMs, owner, sink, log } = this.#deps;
    const [first, last] = [steps[0], steps.at(-1)];
    if (first === undefined || last === undefined) return notCounted;
    const window = { fromMs: first.endMs - stepMs, toMs: last.endMs };
    const request = { selector, tenant, window, stepMs, of, owner };
    const outcome = await counter.count(request, this.#signal);
    if (outcome.kind === "failed") {
      log.debug({ sink, of, message: outcome.message }, "the store's samples could not be counted");
      return "failed";
    }
    if (outcome.kind === "unsupported") return notCounted;
    const { counts, startedMs } = outcome;
    return { startedMs, at: (endMs) => counts[(endMs - window.fromMs) / stepMs - 1] };
  }

  #compare(known: readonly StepCount[], counted: Counted, markers: Counted): Steps {
    const { stats, lookBackMs } = this.#deps;
    const more: StepCount[] = [];
    const corrected: StepCount[] = [];
    for (const { endMs, samples, staleMarkers } of known) {
      const before = samples - staleMarkers;
      const count = counted.at(endMs) ?? before;
      const staleCount = markers.at(endMs) ?? staleMarkers;
      if (count === before && staleCount === staleMarkers) continue;
      const step = { endMs, samples: count + staleCount, staleMarkers: staleCount };
      const isMore = count > before || staleCount > staleMarkers;
      if (isMore && endMs > this.#reach.nowMs - lookBackMs) {
        more.push(step);
        continue;
      }
      // A count that another sink asked for may be older than what this one has read.
      if (
        !isMore &&
        (this.#reach.readAtMs(endMs) ?? -Infinity) > Math.min(counted.startedMs, markers.startedMs)
      )
        continue;
      corrected.push(step);
      if (isMore) stats.tooLate += Math.max(0, step.samples - samples);
      else stats.vanished += Math.max(0, samples - step.samples);
    }
    return { more, corrected };
  }
}

type Steps = Pick<CheckedSteps, "more" | "corrected">;

/** Counts by the ends of their steps; undefined for a step that was not counted. */
interface Counted {
  readonly startedMs: number;
  readonly at: (endMs: number) => number | undefined;
}

const notCounted: Counted = { startedMs: Infinity, at: () => undefined };
