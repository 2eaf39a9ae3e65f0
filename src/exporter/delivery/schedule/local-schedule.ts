import { setMaxListeners } from "node:events";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/core/log.ts";
import type { Service } from "../../../base/core/service.ts";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import { Exporter, type ExporterDeps, type ExporterSnapshot } from "../exporter.ts";
import { cycleTimes, untilNextCycle } from "../plan/cycle-times.ts";
import type { Interruption } from "../send/dispatcher.ts";
import { type Alarm, Alarms, type Sleeper } from "./alarms.ts";
import type { Schedule } from "./schedule.ts";

/**
 * Sinks that are started together begin so far apart: ten thousand first cycles at once take a hundred megabytes, and half
 * as long again (bench/small-policies.ts).
 */
const betweenStartsMs = 0.5;

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
  /** When the next sink may begin (monotonic). */
  #nextStartMs = 0;
  #isStopping = false;

  constructor(options: LocalScheduleOptions) {
    this.#options = options;
    this.#alarms = new Alarms(options.clock);
  }

  /** Ends all sinks when the signal aborts: softly first, at once after the shutdown timeout. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#alarms.run(signal);
    this.#isStopping = true;
    const timer = setTimeout(() => {
      for (const sink of this.#sinks.values()) sink.end(new Error("shutdown timeout"));
    }, this.#options.shutdownTimeoutMs);
    await Promise.all([...this.#sinks.values()].map((sink) => sink.stop()));
    clearTimeout(timer);
  }

  start(plan: SinkPlan): void {
    if (this.#isStopping) return;
    const sink = new LocalSink(plan, this.#options, this.#alarms);
    this.#sinks.set(sink.key, sink);
    const nowMs = this.#options.clock.monotonicMs();
    const startMs = Math.max(nowMs, this.#nextStartMs);
    this.#nextStartMs = startMs + betweenStartsMs;
    sink.begin(startMs - nowMs);
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

  snapshotOf(key: string): ExporterSnapshot | undefined {
    return this.#sinks.get(key)?.snapshot();
  }
}

/**
 * A cycle that runs. Its signals are its own: to listen to one takes Node.js as long as others listen to it, which for one
 * signal of ten thousand sinks was most of the work of a daemon that had fallen behind (bench/small-policies.ts).
 */
interface Running {
  /** Its reason is an {@link Interruption}. */
  readonly interrupt: AbortController;
  /** Ends everything at once. */
  readonly end: AbortController;
  readonly done: Promise<void>;
}

/**
 * One sink: a cycle, a wait for the next start or the end of a pause, a cycle. While it waits it is this object, an exporter
 * and an alarm, and nothing else.
 */
class LocalSink implements Sleeper {
  readonly #exporter: Exporter;
  readonly #options: LocalScheduleOptions;
  readonly #alarms: Alarms;
  #changed: SinkPlan | undefined;
  #isStopping = false;
  /** Exactly one of the two is there, but for a sink that is stopping. */
  #running: Running | undefined;
  #alarm: Alarm | undefined;

  constructor(plan: SinkPlan, options: LocalScheduleOptions, alarms: Alarms) {
    this.#exporter = new Exporter(plan, options.exporterDeps);
    this.#options = options;
    this.#alarms = alarms;
  }

  get key(): string {
    return this.#exporter.key;
  }

  /** Has the first cycle begin in so many ms. */
  begin(inMs: number): void {
    if (inMs > 0) this.#alarm = this.#alarms.set(inMs, this);
    else this.wake();
  }

  /** Begins a cycle, unless one is running. */
  wake(): void {
    if (this.#running !== undefined || this.#isStopping) return;
    this.#alarm?.cancel();
    this.#alarm = undefined;
    const interrupt = new AbortController();
    const end = new AbortController();
    // Every request in flight listens to it; Node.js would take more than ten for a leak, and say so.
    setMaxListeners(0, end.signal);
    this.#running = { interrupt, end, done: this.#run(interrupt.signal, end.signal) };
  }

  /** Takes effect as soon as the requests in flight have their responses. */
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

  /** Ends what a stop has not ended yet. */
  end(reason: Error): void {
    this.#running?.end.abort(reason);
  }

  snapshot(): ExporterSnapshot {
    return this.#exporter.snapshot();
  }

  async #run(interrupt: AbortSignal, signal: AbortSignal): Promise<void> {
    const pauseMs = await this.#cycle(interrupt, signal);
    this.#running = undefined;
    if (this.#changed !== undefined) this.wake();
    else if (!this.#isStopping) this.#alarm = this.#alarms.set(pauseMs, this);
  }

  /** @returns how long to wait for the next cycle, in ms */
  async #cycle(interrupt: AbortSignal, signal: AbortSignal): Promise<number> {
    const { clock, log, exporterDeps } = this.#options;
    const changed = this.#changed;
    this.#changed = undefined;
    try {
      if (changed !== undefined) this.#exporter.change(changed);
      await this.#exporter.cycle(interrupt, signal);
    } catch (error) {
      if (signal.aborted) return 0;
      log.error(
        { sink: this.#exporter.key, error: describeError(error) },
        "a cycle failed; the sink tries again",
      );
      return pauseAfterFaultMs;
    }
    const { deliveryState, plan } = this.#exporter.snapshot();
    if (deliveryState.kind !== "delivering") return Math.max(1, deliveryState.untilMs - clock.monotonicMs());
    const { plane, namespace, name } = plan.policy;
    const times = cycleTimes(
      `${plane}/${namespace}/${name}`,
      exporterDeps.settings.intervalMs,
      plan.batch.timeoutMs,
    );
    return untilNextCycle(times, clock.nowMs());
  }
}
