import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { InvalidSeriesCount } from "../batch/invalid-series.ts";
import type { SinkStats } from "./sink-stats.ts";
import type { SourceCounts } from "./source-series.ts";

interface SinkRecorderDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly stats: SinkStats;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Counts the fate of a sink's samples, and logs the losses. */
export class SinkRecorder {
  readonly #deps: SinkRecorderDeps;
  /** For samples that came late. */
  readonly isLate: boolean;
  /** Since the last log line about them. */
  #rejected = { samples: 0, message: "" };

  constructor(deps: SinkRecorderDeps, isLate = false) {
    this.#deps = deps;
    this.isLate = isLate;
  }

  /** The same for samples that came late. */
  forLate(): SinkRecorder {
    return new SinkRecorder(this.#deps, true);
  }

  /** @param sources those that were read completely */
  read(sources: ReadonlyMap<string, SourceCounts>): void {
    const { stats, clock } = this.#deps;
    for (const [source, counts] of sources) {
      stats.read += counts.samples;
      stats.series.note(source, counts, clock.nowMs());
    }
  }

  /** @param unwritten samples that the receiver acknowledged without writing them */
  delivered(samples: number, unwritten = 0): void {
    const { stats, clock } = this.#deps;
    stats.deliver(samples - unwritten, clock.nowMs(), clock.monotonicMs());
    if (!this.isLate) stats.refusal = undefined;
    if (this.isLate) stats.late += samples - unwritten;
    stats.unwritten += unwritten;
  }

  /** Sent with samples of a window that is closed. */
  exemplars(count: number): void {
    this.#deps.stats.exemplars += count;
  }

  /** A request was refused; {@link searched} follows when it is known what is rejected of it. */
  refused(message: string): void {
    if (this.isLate) return;
    this.#deps.stats.refusal = message;
    this.failed(message);
  }

  searched(): void {
    if (!this.isLate) this.#deps.stats.refusal = undefined;
  }

  /** Rejected, but probably stored by an earlier request whose response was lost. */
  repeated(samples: number): void {
    this.#deps.stats.repeated += samples;
  }

  /**
   * Rejected by the receiver; logged by {@link logRejected}.
   *
   * @param isPassed with others that were refused alone: too old for the receiver
   */
  rejected(samples: number, message: string, isPassed = false): void {
    const { stats, clock } = this.#deps;
    if (isPassed) stats.passed += samples;
    if (this.isLate) stats.rejectLate(samples, message, clock.nowMs());
    else stats.reject(samples, message, clock.nowMs());
    this.#rejected = { samples: this.#rejected.samples + samples, message };
  }

  /** Logs the samples rejected since the last call, in one line. */
  logRejected(): void {
    const { samples, message } = this.#rejected;
    if (samples === 0) return;
    this.#rejected = { samples: 0, message: "" };
    const { log, sink } = this.#deps;
    const level = this.isLate ? "info" : "warn";
    const what = this.isLate ? "late samples were rejected" : "samples were rejected";
    log[level]({ sink, samples, message }, what);
  }

  invalid({ reason, message, series, samples }: InvalidSeriesCount): void {
    // Counted when they were first read.
    if (this.isLate) return;
    const { sink, stats, clock, log } = this.#deps;
    stats.reject(samples, message, clock.nowMs());
    log.warn({ sink, reason, series, samples }, message);
  }

  /** Of series that relabelling rules drop: a choice, not a loss. */
  droppedByRules(samples: number): void {
    this.#deps.stats.droppedByRules += samples;
  }

  /** No attempt is left, under `onExhausted: drop`, or after a 429 with `retryOn429: false`. */
  dropped(samples: number, message: string): void {
    const { sink, stats, clock, log } = this.#deps;
    if (this.isLate) stats.rejectLate(samples, message, clock.nowMs());
    else stats.drop(samples, message, clock.nowMs());
    log.warn({ sink, samples, message }, "samples were dropped: no attempt is left");
  }

  /** A request was not delivered, and will be sent again. */
  failed(message: string): void {
    this.#deps.stats.fail(message, this.#deps.clock.nowMs());
  }
}
