import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import type { Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Config } from "../config/schema.ts";

/**
 * The stages of the daemon's parts. They start together and stop last first: policy sources and servers, then
 * the exporter, which drains, then Redis, and finally the ops address, so that a stopping daemon can be
 * inspected.
 */
const stages = ["ops", "redis", "exporter", "sources and servers"] as const;

/** What can be degraded, as the metric `telemetryd_degraded` names it. */
export type HealthPart =
  | "configuration"
  | "state"
  | "redis"
  | "metrics_store"
  | "tenants"
  | "policies"
  | "provider"
  | "token"
  | "gateway"
  | "audit";

/** What does not work although the daemon runs: a sentence, or several. */
type Problem = () => string | readonly string[] | undefined;

/** A running part of the daemon, by a section of its configuration. */
export interface Part {
  readonly stage: (typeof stages)[number];
  readonly services: readonly Service[];
  readonly registries?: readonly Registry[];
  /** The reason why the daemon is not ready yet, as far as this part is concerned. */
  notReady?(): string | undefined;
  readonly problems?: Partial<Record<HealthPart, Problem>>;
}

/** What opens a part. */
export interface PartContext {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** When the daemon started: wall-clock time, ms. */
  readonly startedAtMs: number;
  /** Aborted when the daemon begins to stop. */
  readonly signal: AbortSignal;
  /**
   * Registers what has to be closed when the daemon ends, last first. It is called as soon as something is
   * open, so that nothing stays open after a start that fails.
   */
  onClose(close: () => unknown): void;
}

/** The opened parts of the daemon, in the order in which they were opened. */
export class Parts {
  readonly #parts: Part[] = [];

  /** @returns its argument */
  add<P extends Part | undefined>(part: P): P {
    if (part !== undefined) this.#parts.push(part);
    return part;
  }

  registries(): Registry[] {
    return this.#parts.flatMap(({ registries = [] }) => registries);
  }

  /** The reasons why the daemon is not ready yet. */
  notReady(): string[] {
    return this.#parts.flatMap((part) => part.notReady?.() ?? []);
  }

  /** What does not work although the daemon runs: a sentence each. */
  problems(): string[] {
    return this.#problems().flatMap(([, problem]) => problem() || []);
  }

  /** Whether each part that can be degraded is. */
  degraded(): ReadonlyMap<string, boolean> {
    const degraded = new Map<string, boolean>();
    for (const [part, problem] of this.#problems()) {
      const isDegraded = [problem() || []].flat().length > 0;
      degraded.set(part, isDegraded || degraded.get(part) === true);
    }
    return degraded;
  }

  #problems(): [string, Problem][] {
    return this.#parts.flatMap(({ problems = {} }) => Object.entries(problems));
  }

  /** The services by stage, for `runStages`. */
  stages(): Service[][] {
    return stages.map((stage) =>
      this.#parts.filter((part) => part.stage === stage).flatMap(({ services }) => services),
    );
  }
}
