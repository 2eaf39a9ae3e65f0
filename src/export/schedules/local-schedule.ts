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
import { type Alarm, Alarms, type Sleeper } from "./alarms.ts";

/** After a cycle that failed by a fault of ours; the next one may do better. */
const pauseAfterFaultMs = 5_000;

export interface LocalScheduleOptions {
  readonly exporterDeps: ExporterDeps;
  /** After this long a stop ends what is still in flight. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs every sink's cycles in this process, each sink for itself, so that none waits for another. */
export class LocalSchedule implements Service, Schedule {
  readonly name = "local-schedule";
  readonly #options: LocalScheduleOptions;
  readonly #sinks = new Map<string, LocalSink>();
  readonly #alarms: Alarms;
  readonly #hardStop = new AbortController();
  #isStopping = false;

  constructor(options: LocalScheduleOptions) {
    this.#options = options;
    this.#alarms = new Alarms(options.clock);
    // Every window of every sink listens to it; Node.js would take more than ten for a leak, and say so.
    setMaxListeners(0, this.#hardStop.signal);
  }

  /** Ends all sinks when the signal aborts: softly first, at once after the shutdown timeout. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#alarms.run(signal);
    this.#isStopping = true;
    const timer = setTimeout(
      () => this.#hardStop.abort(new Error("shutdown timeout")),
      this.#options.shutdownTimeoutMs,
    );
    await Promise.all([...this.#sinks.values()].map((sink) => sink.stop()));
    clearTimeout(timer);
  }

  start(plan: SinkPlan): void {
    if (this.#isStopping) return;
    const sink = new LocalSink(plan, this.#options, this.#alarms, this.#hardStop.signal);
    this.#sinks.set(sink.key, sink);
    sink.wake();
  }

  change(plan: SinkPlan): void {
    this.#sinks.get(sinkKey(plan.policy, plan.name))?.change(plan);
  }

  async remove(key: string): Promise<void> {
    const sink = this.#sinks.get(key);
    this.#sinks.delete(key);
    await sink?.stop();
  }

  snapshots(): ExporterSnapshot[] {
    return [...this.#sinks.values()].map((sink) => sink.snapshot());
  }
}

/**
 * One sink: a cycle, a wait for the next start or the end of a pause, a cycle. While it waits it is this object, an exporter
 * and an alarm, and nothing else.
 */
class LocalSink implements Sleeper {
  readonly #exporter: Exporter;
  readonly #options: LocalScheduleOptions;
  readonly #alarms: Alarms;
  readonly #signal: AbortSignal;
  #changed: SinkPlan | undefined;
  #isStopping = false;
  /** Exactly one of the two is there, but for a sink that is stopping. */
  #running: { readonly interrupt: AbortController; readonly done: Promise<void> } | undefined;
  #alarm: Alarm | undefined;

  constructor(plan: SinkPlan, options: LocalScheduleOptions, alarms: Alarms, signal: AbortSignal) {
    this.#exporter = new Exporter(plan, options.exporterDeps);
    this.#options = options;
    this.#alarms = alarms;
    this.#signal = signal;
  }

  get key(): string {
    return this.#exporter.key;
  }

  /** Begins a cycle, unless one is running. */
  wake(): void {
    if (this.#running !== undefined || this.#isStopping) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    const interrupt = new AbortController();
    this.#running = { interrupt, done: this.#run(interrupt.signal) };
  }

  /** Takes effect as soon as the requests in flight have been answered. */
  change(plan: SinkPlan): void {
    this.#changed = plan;
    this.#running?.interrupt.abort("edit" satisfies Interruption);
    this.wake();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#alarm?.cancel();
    this.#running?.interrupt.abort("stop" satisfies Interruption);
    await this.#running?.done;
    this.#exporter.close();
  }

  snapshot(): ExporterSnapshot {
    return this.#exporter.snapshot();
  }

  async #run(interrupt: AbortSignal): Promise<void> {
    const pauseMs = await this.#cycle(interrupt);
    this.#running = undefined;
    if (this.#changed !== undefined) this.wake();
    else if (!this.#isStopping) this.#alarm = this.#alarms.set(pauseMs, this);
  }

  /** @returns how long to wait for the next cycle, in ms */
  async #cycle(interrupt: AbortSignal): Promise<number> {
    const { clock, log, exporterDeps } = this.#options;
    const changed = this.#changed;
    this.#changed = undefined;
    try {
      if (changed !== undefined) this.#exporter.change(changed);
      await this.#exporter.cycle(interrupt, this.#signal);
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
