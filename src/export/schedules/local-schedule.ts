import { setMaxListeners } from "node:events";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import type { Service } from "../../core/service.ts";
import { type SinkPlan, sinkKey } from "../../policy/types.ts";
import { cycleTimes, untilNextCycle } from "../cycle-times.ts";
import { Exporter, type ExporterDeps, type ExporterSnapshot } from "../exporter.ts";
import type { Schedule } from "../schedule.ts";
import type { Interruption } from "../window-delivery.ts";

/** After a cycle that failed by a fault of ours; the next one may do better. */
const pauseAfterFaultMs = 5_000;

export interface LocalScheduleOptions {
  readonly exporterDeps: ExporterDeps;
  /** After this long a stop ends what is still in flight. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs every sink's cycles in this process, each sink in a loop of its own, so that none waits for another. */
export class LocalSchedule implements Service, Schedule {
  readonly name = "local-schedule";
  readonly #options: LocalScheduleOptions;
  readonly #loops = new Map<string, SinkLoop>();
  readonly #hardStop = new AbortController();
  #isStopping = false;

  constructor(options: LocalScheduleOptions) {
    this.#options = options;
    // Every window of every sink listens to it; Node.js would take more than ten for a leak, and say so.
    setMaxListeners(0, this.#hardStop.signal);
  }

  /** Ends all loops when the signal aborts: softly first, at once after the shutdown timeout. */
  async run(signal: AbortSignal): Promise<void> {
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    this.#isStopping = true;
    const timer = setTimeout(
      () => this.#hardStop.abort(new Error("shutdown timeout")),
      this.#options.shutdownTimeoutMs,
    );
    await Promise.all([...this.#loops.values()].map((loop) => loop.stop()));
    clearTimeout(timer);
  }

  start(plan: SinkPlan): void {
    if (this.#isStopping) return;
    const loop = new SinkLoop(plan, this.#options, this.#hardStop.signal);
    this.#loops.set(sinkKey(plan.policy, plan.name), loop);
    loop.start();
  }

  change(plan: SinkPlan): void {
    this.#loops.get(sinkKey(plan.policy, plan.name))?.change(plan);
  }

  async remove(key: string): Promise<void> {
    const loop = this.#loops.get(key);
    this.#loops.delete(key);
    await loop?.stop();
  }

  snapshots(): ExporterSnapshot[] {
    return [...this.#loops.values()].map((loop) => loop.snapshot());
  }
}

/** The loop of one sink: a cycle, a wait for the next start or the end of a pause, a cycle. */
class SinkLoop {
  readonly #exporter: Exporter;
  readonly #options: LocalScheduleOptions;
  readonly #signal: AbortSignal;
  #changed: SinkPlan | undefined;
  #isStopping = false;
  #interrupt = new AbortController();
  #done: Promise<void> = Promise.resolve();

  constructor(plan: SinkPlan, options: LocalScheduleOptions, signal: AbortSignal) {
    this.#exporter = new Exporter(plan, options.exporterDeps);
    this.#options = options;
    this.#signal = signal;
  }

  start(): void {
    this.#done = this.#run();
  }

  /** Takes effect as soon as the requests in flight have been answered. */
  change(plan: SinkPlan): void {
    this.#changed = plan;
    this.#interrupt.abort("edit" satisfies Interruption);
  }

  stop(): Promise<void> {
    this.#isStopping = true;
    this.#interrupt.abort("stop" satisfies Interruption);
    return this.#done;
  }

  snapshot(): ExporterSnapshot {
    return this.#exporter.snapshot();
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      this.#interrupt = new AbortController();
      const changed = this.#changed;
      this.#changed = undefined;
      if (changed !== undefined) await this.#exporter.change(changed);
      const pauseMs = await this.#cycle();
      await this.#options.clock.sleep(pauseMs, this.#interrupt.signal).catch(() => undefined);
    }
    await this.#exporter.close();
  }

  /** @returns how long to wait for the next cycle, in ms */
  async #cycle(): Promise<number> {
    const { clock, log, exporterDeps } = this.#options;
    try {
      await this.#exporter.cycle(this.#interrupt.signal, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) return 0;
      log.error(
        { sink: this.#exporter.key, error: describeError(error) },
        "a cycle failed; the sink tries again",
      );
      return pauseAfterFaultMs;
    }
    const { standing, plan } = this.#exporter.snapshot();
    if (standing.kind !== "delivering") return Math.max(1, standing.untilMs - clock.monotonicMs());
    const { plane, namespace, name } = plan.policy;
    const times = cycleTimes(
      `${plane}/${namespace}/${name}`,
      exporterDeps.settings.intervalMs,
      plan.batch.timeoutMs,
    );
    return untilNextCycle(times, clock.nowMs());
  }
}
