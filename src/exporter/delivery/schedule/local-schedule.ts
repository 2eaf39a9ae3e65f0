import { setMaxListeners } from "node:events";
import { type Clock, longestTimerMs } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import type { Service } from "../../../base/core/service.ts";
import { untilAborted } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../exporter.ts";
import type { ExporterSnapshot } from "../exporter-snapshot.ts";
import { cycleTimesOf, untilNextCycle, withChecks } from "../plan/cycle-times.ts";
import type { Schedule } from "./schedule.ts";

/**
 * Interval between the starts of sinks that are started together: many first cycles at once need much more
 * memory (bench/small-policies.ts).
 */
const betweenStartsMs = 0.5;

/** Pause after a cycle that failed by an internal error; the next one may succeed. */
const pauseAfterFaultMs = 5_000;

interface LocalScheduleOptions {
  readonly exporterDeps: ExporterDeps;
  /** A stop aborts requests in flight after this long. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Runs every sink's cycles in this process, independently, so that no sink waits for another. */
export class LocalSchedule implements Service, Schedule {
  readonly name = "local-schedule";
  readonly #options: LocalScheduleOptions;
  readonly #sinks = new Map<string, LocalSink>();
  /** Earliest start of the next sink (monotonic). */
  #nextStartMs = 0;
  #isStopping = false;

  constructor(options: LocalScheduleOptions) {
    this.#options = options;
  }

  /** Stops all sinks when the signal aborts: gracefully first, at once after the shutdown timeout. */
  async run(signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
    this.#isStopping = true;
    const timer = setTimeout(() => {
      for (const sink of this.#sinks.values()) sink.end(new Error("shutdown timeout"));
    }, this.#options.shutdownTimeoutMs);
    await Promise.all([...this.#sinks.values()].map((sink) => sink.stop()));
    clearTimeout(timer);
  }

  start(plan: SinkPlan): void {
    if (this.#isStopping) return;
    const sink = new LocalSink(plan, this.#options);
    this.#sinks.set(sink.key, sink);
    const nowMs = this.#options.clock.monotonicMs();
    const startMs = Math.max(nowMs, this.#nextStartMs);
    this.#nextStartMs = startMs + betweenStartsMs;
    sink.begin(startMs - nowMs);
  }

  change(plan: SinkPlan): void {
    this.#sinks.get(sinkKey(plan.policy, plan.name))?.change(plan);
  }

  /** Only replicas compare generations. */
  renew(): void {}

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
 * A running cycle, with signals of its own: the cost of adding a listener in Node.js grows with the number of
 * listeners, so one signal for all sinks would be too slow (bench/small-policies.ts).
 */
interface Running {
  readonly interruption: Interruption;
  /** Ends everything at once. */
  readonly end: AbortController;
  readonly done: Promise<void>;
}

/**
 * One sink: a cycle, a wait for the next start or the end of a pause, and so on. While it waits it consists
 * only of this object, an exporter and a timer.
 */
class LocalSink {
  readonly #exporter: Exporter;
  readonly #options: LocalScheduleOptions;
  #changed: SinkPlan | undefined;
  #isStopping = false;
  /** Exactly one of the two is set, except while the sink is stopping. */
  #running: Running | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(plan: SinkPlan, options: LocalScheduleOptions) {
    this.#exporter = new Exporter(plan, options.exporterDeps);
    this.#options = options;
  }

  get key(): string {
    return this.#exporter.key;
  }

  /** Starts the first cycle in `inMs` milliseconds. */
  begin(inMs: number): void {
    if (inMs > 0) this.#startIn(inMs);
    else this.#start();
  }

  #startIn(ms: number): void {
    this.#timer = setTimeout(() => this.#start(), Math.min(ms, longestTimerMs));
  }

  /** Starts a cycle, unless one is running. */
  #start(): void {
    if (this.#running !== undefined || this.#isStopping) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const interruption = new Interruption();
    const end = new AbortController();
    // Every request in flight listens to it; Node.js would warn of a leak above ten listeners.
    setMaxListeners(0, end.signal);
    this.#running = { interruption, end, done: this.#run(interruption, end.signal) };
  }

  /** Takes effect once the requests in flight have their responses. */
  change(plan: SinkPlan): void {
    this.#changed = plan;
    this.#running?.interruption.begin("edit");
    this.#start();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    this.#running?.interruption.begin("stop");
    await this.#running?.done;
    this.#exporter.close();
  }

  /** Aborts everything that a stop has not ended yet. */
  end(reason: Error): void {
    this.#running?.end.abort(reason);
  }

  snapshot(): ExporterSnapshot {
    return this.#exporter.snapshot();
  }

  async #run(interruption: Interruption, signal: AbortSignal): Promise<void> {
    const pauseMs = await this.#cycle(interruption, signal);
    this.#running = undefined;
    if (this.#changed !== undefined) this.#start();
    else if (!this.#isStopping) this.#startIn(pauseMs);
  }

  /** @returns the time until the next cycle, in ms */
  async #cycle(interruption: Interruption, signal: AbortSignal): Promise<number> {
    const { clock, log, exporterDeps } = this.#options;
    const changed = this.#changed;
    this.#changed = undefined;
    try {
      if (changed !== undefined) this.#exporter.change(changed);
      await this.#exporter.cycle(interruption, signal);
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
    const times = cycleTimesOf(plan, exporterDeps.settings.intervalMs);
    return untilNextCycle(withChecks(times, exporterDeps.late?.times.alertMs), clock.nowMs());
  }
}
