import type { Clock } from "../../base/core/clock.ts";
import type { DaemonStatus } from "../../exporter/policy/status/status-view.ts";
import type { Readiness } from "../ops/page/readiness.ts";

/** The daemon's readiness and degraded parts, pulled from the components on request. */
export class DaemonHealth {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #startedAt: string;
  readonly #requirements: { readonly holds: () => boolean; readonly reason: string }[] = [];
  readonly #watched: (() => string | readonly string[] | undefined)[] = [];

  /** @param signal aborted when the daemon begins to stop */
  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
    this.#startedAt = new Date(this.#clock.nowMs()).toISOString();
  }

  /** Adds a readiness condition, with the reason to report while it does not hold. */
  require(holds: () => boolean, reason: string): void {
    this.#requirements.push({ holds, reason });
  }

  /** Adds a source of degradations: a sentence, several, or undefined. */
  watch(problem: () => string | readonly string[] | undefined): void {
    this.#watched.push(problem);
  }

  readiness(): Readiness {
    if (this.#signal.aborted) return { ready: false, reasons: ["telemetryd is stopping"] };
    const reasons = this.#requirements.filter(({ holds }) => !holds()).map(({ reason }) => reason);
    return { ready: reasons.length === 0, reasons };
  }

  snapshot(): Pick<DaemonStatus, "startedAt" | "state" | "ready" | "degraded"> {
    const { ready } = this.readiness();
    const running = ready ? "running" : "starting";
    return {
      startedAt: this.#startedAt,
      state: this.#signal.aborted ? "stopping" : running,
      ready,
      degraded: this.degraded(),
    };
  }

  /** The degraded parts, one sentence each. */
  degraded(): string[] {
    return this.#watched.flatMap((problem) => problem() || []);
  }
}
