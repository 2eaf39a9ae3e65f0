import { randomUUID } from "node:crypto";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { Releasers, type Service } from "../../core/service.ts";
import { type SinkPlan, sinkKey } from "../../policy/types.ts";
import type { ConnectionRole, RedisConnection } from "../../redis/connection.ts";
import type { RedisConnections } from "../../redis/redis.ts";
import { runScript } from "../../redis/run-script.ts";
import { cycleTimes } from "../cycle-times.ts";
import type { ExporterDeps, ExporterSnapshot } from "../exporter.ts";
import { fleetKeys } from "../fleet/keys.ts";
import type { RedisState } from "../fleet/redis-state.ts";
import { readEpoch } from "../fleet/scripts.ts";
import {
  endPause,
  FencedError,
  type LeaseOutcome,
  parseTaken,
  type SinkLease,
  takeSinkLease,
} from "../fleet/sink-lease.ts";
import { lateKey, sinkOfKey } from "../late-samples.ts";
import type { MemoryState } from "../memory-state.ts";
import type { Schedule } from "../schedule.ts";
import { cycleJobOf, done, type JobEnd, jobEnd, judgeJob } from "./cycle-job.ts";
import { type CycleQueue, openCycleQueue, type TakenJob } from "./cycle-queue.ts";
import { ReplicaSink } from "./replica-sink.ts";
import { schedulersToSet, type WantedScheduler } from "./scheduler-changes.ts";

/**
 * Cycles that one process runs at a time. They mostly wait, for the store's slots and for receivers: enough of them that
 * slow receivers do not keep the others' turn.
 */
const concurrency = 100;
const tickEveryMs = 5_000;
const retryEveryMs = 500;
const stepAsideMs = 1_000;
/** After Redis was found empty, nobody runs a cycle for so long: every replica first tells what it remembers. */
const graceMs = 3_000;
/** Sinks whose state is brought back at a time. */
const restoreAtOnce = 20;

export interface QueueScheduleOptions {
  readonly exporterDeps: ExporterDeps;
  /** The same as in `exporterDeps`. */
  readonly state: RedisState;
  readonly mirror: MemoryState;
  readonly redis: RedisConnections;
  /** After this long a stop ends what is still in flight. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What this replica does, for the status and for tests. */
export interface QueueScheduleSnapshot {
  readonly replica: string;
  readonly sinks: number;
  readonly running: number;
  /** Cycles that were run here, by how many sinks of these are shown here. */
  readonly cycles: number;
  readonly shown: number;
}

/**
 * Shares the cycles of all sinks among replicas, through a BullMQ queue. Each sink has a job scheduler; whichever replica
 * takes a job runs the cycle under the sink's lease. The queue says when, the lease sees to it that there is one at a time.
 *
 * Jobs are only hints. What must not be lost is in the sink's state; schedulers are looked at every few seconds and at
 * every connect, and set again where they are gone.
 */
export class QueueSchedule implements Service, Schedule {
  readonly name = "queue-schedule";
  readonly #options: QueueScheduleOptions;
  readonly #replica = randomUUID();
  readonly #sinks = new Map<string, ReplicaSink>();
  readonly #hardStop = new AbortController();
  /** Sinks whose scheduler this replica has not set as it is now. */
  #changed = new Set<string>();
  /** Sinks of no policy any more whose scheduler is still there. */
  #removed = new Set<string>();
  readonly #inProgress = new Set<Promise<unknown>>();
  #queue: CycleQueue | undefined;
  #wake = new AbortController();
  #isStopping = false;
  #epoch = "";
  #checking: Promise<void> | undefined;
  /** Monotonic time before which no cycle runs here. */
  #graceUntilMs = 0;
  #cycles = 0;

  constructor(options: QueueScheduleOptions) {
    this.#options = options;
  }

  start(plan: SinkPlan): void {
    if (this.#isStopping) return;
    const key = sinkKey(plan.policy, plan.name);
    const { exporterDeps, state } = this.#options;
    this.#sinks.set(key, new ReplicaSink(plan, { exporterDeps, state }));
    this.#reschedule(key);
  }

  change(plan: SinkPlan): void {
    const key = sinkKey(plan.policy, plan.name);
    const sink = this.#sinks.get(key);
    if (sink === undefined) return;
    sink.change(plan);
    this.#reschedule(key);
    void this.#tryAtOnce(key, plan);
  }

  async remove(key: string): Promise<void> {
    const sink = this.#sinks.get(key);
    this.#sinks.delete(key);
    this.#changed.delete(key);
    this.#removed.add(key);
    this.#wake.abort();
    await sink?.stop();
  }

  /** Of the sinks whose last cycle was run by this replica: the others tell of theirs. */
  snapshots(): ExporterSnapshot[] {
    return [...this.#sinks.values()].flatMap((sink) => sink.snapshot() ?? []);
  }

  snapshot(): QueueScheduleSnapshot {
    const sinks = [...this.#sinks.values()];
    return {
      replica: this.#replica,
      sinks: sinks.length,
      running: sinks.filter(({ isRunning }) => isRunning).length,
      cycles: this.#cycles,
      shown: this.snapshots().length,
    };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, redis, state } = this.#options;
    const releasers = new Releasers();
    const open = (role: ConnectionRole, name: string): RedisConnection => {
      const connection = redis.open(role, name);
      releasers.push(() => connection.disconnect());
      return connection;
    };
    releasers.push(() => state.close());
    try {
      const connection = open("background", "export-queue");
      const workerConnection = open("worker", "export-worker");
      this.#listen(open("subscriber", "export-taken"));
      connection.on("ready", () => this.#wake.abort());
      while (!signal.aborted) {
        this.#wake = new AbortController();
        let pauseMs = retryEveryMs;
        try {
          pauseMs = await this.#tick(connection, workerConnection);
        } catch (error) {
          log.debug({ error: describeError(error) }, "Redis did not answer the schedule; trying again");
        }
        await clock.sleep(pauseMs, AbortSignal.any([signal, this.#wake.signal])).catch(() => undefined);
      }
    } finally {
      await this.#stop();
      await releasers.releaseAll();
    }
  }

  /** Ends all cycles: softly first, at once after the shutdown timeout. What they leave goes on in other replicas. */
  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#queue?.pause();
    const timer = setTimeout(
      () => this.#hardStop.abort(new Error("shutdown timeout")),
      this.#options.shutdownTimeoutMs,
    );
    await Promise.all([...this.#sinks.values()].map((sink) => sink.stop()));
    await Promise.allSettled(this.#inProgress);
    clearTimeout(timer);
    await this.#queue?.close();
    this.#queue = undefined;
  }

  /** Looks at all that may have changed without a word. @returns the pause until the next look, ms */
  async #tick(connection: RedisConnection, workerConnection: RedisConnection): Promise<number> {
    if (connection.status !== "ready") return retryEveryMs;
    const { clock, log } = this.#options;
    await this.#checkEpoch();
    this.#queue ??= openCycleQueue(connection, workerConnection, {
      concurrency,
      process: (taken) => this.#process(taken),
      clock,
      log,
    });
    const changed = this.#changed;
    const removed = this.#removed;
    this.#changed = new Set();
    this.#removed = new Set();
    try {
      for (const sink of removed) if (!this.#sinks.has(sink)) await this.#queue.unschedule(sink);
      const found = await this.#queue.schedulers();
      await this.#queue.schedule(schedulersToSet(this.#wanted(), changed, found, clock.nowMs()));
    } catch (error) {
      for (const sink of changed) this.#changed.add(sink);
      for (const sink of removed) this.#removed.add(sink);
      throw error;
    }
    for (const sink of this.#sinks.values()) await sink.rest();
    return tickEveryMs;
  }

  #reschedule(key: string): void {
    this.#removed.delete(key);
    this.#changed.add(key);
    this.#wake.abort();
  }

  #wanted(): Map<string, WantedScheduler> {
    const { intervalMs } = this.#options.exporterDeps.settings;
    return new Map(
      [...this.#sinks].map(([key, { plan }]) => {
        const { plane, namespace, name } = plan.policy;
        const times = cycleTimes(`${plane}/${namespace}/${name}`, intervalMs, plan.batch.timeoutMs);
        return [key, { job: cycleJobOf(plan), times }];
      }),
    );
  }

  /** A changed sink does not wait out the pause of its old settings, in whichever replica. */
  async #tryAtOnce(key: string, plan: SinkPlan): Promise<void> {
    try {
      await endPause(key, this.#options.state.connection);
      await this.#queue?.ask(cycleJobOf(plan));
    } catch (error) {
      this.#options.log.debug({ sink: key, error: describeError(error) }, "a cycle could not be asked for");
    }
  }

  async #process(taken: TakenJob): Promise<JobEnd> {
    const processing = this.#judge(taken);
    this.#inProgress.add(processing);
    try {
      return await processing;
    } finally {
      // Only once BullMQ has been answered, which it is in this turn.
      setImmediate(() => this.#inProgress.delete(processing));
    }
  }

  async #judge({ job, ageMs, isTakenOver }: TakenJob): Promise<JobEnd> {
    const sink = this.#sinks.get(job.sink);
    if (this.#isStopping) return { kind: "again", afterMs: 0 };
    const graceMs = this.#graceUntilMs - this.#options.clock.monotonicMs();
    if (graceMs > 0) return { kind: "again", afterMs: graceMs };
    const own = sink && cycleJobOf(sink.plan);
    // A replica with an older policy was the last to set the scheduler.
    if (own !== undefined && own.generation > job.generation) this.#changed.add(job.sink);
    const verdict = judgeJob(job, own, ageMs);
    if (verdict === "step-aside") return { kind: "again", afterMs: stepAsideMs };
    if (verdict === "drop" || sink === undefined) {
      // Whoever does have the sink sets it again.
      await this.#queue?.unschedule(job.sink);
      return done;
    }
    if (sink.isRunning) return done;
    return sink.exclusively(() => this.#run(job.sink, sink, isTakenOver));
  }

  async #run(key: string, sink: ReplicaSink, isTakenOver: boolean): Promise<JobEnd> {
    const { log } = this.#options;
    const of = { isTakenOver, periodMs: sink.periodMs };
    const outcome = await this.#take(key, true);
    if (outcome.kind !== "taken") return jobEnd(outcome, of);
    const { lease } = outcome;
    if (isFirst(lease)) {
      await this.#checkEpoch();
      const restMs = this.#graceUntilMs - this.#options.clock.monotonicMs();
      if (restMs > 0) {
        await lease.release(lease.standing);
        return { kind: "again", afterMs: restMs };
      }
    }
    this.#cycles++;
    try {
      const { end, pauseMs } = await sink.cycle(lease, this.#hardStop.signal);
      return jobEnd({ kind: "ran", end, pauseMs }, of);
    } catch (error) {
      if (this.#hardStop.signal.aborted) return { kind: "again", afterMs: 0 };
      if (!(error instanceof FencedError) && !lease.signal.aborted) throw error;
      log.warn(
        { sink: key, error: describeError(error) },
        "a cycle was given up; the sink's next one goes on",
      );
      return { kind: "again", afterMs: stepAsideMs };
    }
  }

  #take(sink: string, heedPause: boolean): Promise<LeaseOutcome> {
    const { clock, state } = this.#options;
    return takeSinkLease(sink, { redis: state.connection, clock, replica: this.#replica, heedPause });
  }

  /** Finds out whether Redis is another one than before, or was wiped, and tells it what this replica remembers. */
  #checkEpoch(): Promise<void> {
    this.#checking ??= this.#lookAtEpoch().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #lookAtEpoch(): Promise<void> {
    const { state } = this.#options;
    const answer = await runScript(state.connection, readEpoch, [fleetKeys.epoch], [randomUUID()]);
    const [epoch, ageMs] = answer as [string, number];
    if (epoch === this.#epoch) return;
    if (ageMs < graceMs) await this.#restoreAll(graceMs - ageMs);
    this.#epoch = epoch;
  }

  async #restoreAll(restMs: number): Promise<void> {
    const { clock, log, mirror } = this.#options;
    this.#graceUntilMs = clock.monotonicMs() + restMs;
    const sinks = [...new Set((await mirror.sinks()).map(sinkOfKey))];
    log.info({ sinks: sinks.length }, "Redis is empty; telling it the checkpoints of the state directory");
    const restoring = Array.from({ length: restoreAtOnce }, async () => {
      for (let sink = sinks.pop(); sink !== undefined; sink = sinks.pop()) await this.#restore(sink);
    });
    await Promise.all(restoring);
  }

  async #restore(sink: string): Promise<void> {
    const outcome = await this.#take(sink, false);
    // Its holder brings in its own; what is newer here counts when a cycle is run here.
    if (outcome.kind !== "taken") return;
    const { lease } = outcome;
    const { state } = this.#options;
    try {
      await state.begin(lease);
      await state.load(lateKey(sink));
    } finally {
      state.end(lease);
      await lease.release(lease.standing);
    }
  }

  #listen(subscriber: RedisConnection): void {
    subscriber.on("ready", () => {
      subscriber.subscribe(fleetKeys.taken).catch(() => undefined);
    });
    subscriber.on("message", (_channel: string, message: string) => {
      const taken = parseTaken(message);
      if (taken !== undefined && taken.replica !== this.#replica) this.#sinks.get(taken.sink)?.leaveToOther();
    });
  }
}

/** Nobody has ever taken the sink's lease in this Redis. */
function isFirst({ fence }: SinkLease): boolean {
  return fence.startsWith("1-");
}
