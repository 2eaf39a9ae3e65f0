import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import { runLoop, Wakeup } from "../../../base/core/loop.ts";
import { Releasers, type Service } from "../../../base/core/service.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { ConnectionRole, RedisConnection } from "../../../base/redis/connection.ts";
import type { RedisConnections } from "../../../base/redis/redis.ts";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import type { ExporterDeps } from "../exporter.ts";
import type { ExporterSnapshot } from "../exporter-snapshot.ts";
import type { FleetReports } from "../fleet/fleet-reports.ts";
import { fleetKeys } from "../fleet/keys.ts";
import { RedisEpoch } from "../fleet/redis-epoch.ts";
import type { RedisState } from "../fleet/redis-state.ts";
import { endPause, parseTaken } from "../fleet/sink-lease.ts";
import type { SinkStates } from "../state/sink-states.ts";
import { cycleJobOf } from "./cycle-job.ts";
import { type CycleQueue, openCycleQueue } from "./cycle-queue.ts";
import { CycleRunner } from "./cycle-runner.ts";
import { ReplicaSink } from "./replica-sink.ts";
import type { Schedule } from "./schedule.ts";
import { schedulersToSet, type WantedScheduler } from "./scheduler-changes.ts";

/**
 * Maximum number of concurrent cycles in one process. Cycles mostly wait, for the store's semaphore and for
 * receivers; there are enough of them that slow receivers do not starve the others.
 */
const concurrency = 100;
const checkEveryMs = 5_000;
/** Well below the time for which replicas wait for each other on an empty Redis (see {@link RedisEpoch}). */
const lookForEpochEveryMs = 1_000;
const retryEveryMs = 500;

interface QueueScheduleOptions {
  readonly exporterDeps: ExporterDeps;
  /** The same as in `exporterDeps`. */
  readonly state: RedisState;
  readonly mirror: SinkStates;
  readonly redis: RedisConnections;
  /** The replicas' reports, which also hold this replica's name. */
  readonly reports: FleetReports;
  /** A stop aborts requests in flight after this long. */
  readonly shutdownTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** This replica's activity, for the status and for tests. */
interface QueueScheduleSnapshot {
  readonly replica: string;
  readonly sinks: number;
  readonly running: number;
  /** The number of cycles run by this replica, and of sinks whose status it shows. */
  readonly cycles: number;
  readonly shown: number;
}

/**
 * Shares the cycles of all sinks among replicas through a BullMQ queue. Each sink has a job scheduler; the
 * replica that takes a job runs the cycle under the sink's lease. The queue decides when, and the lease
 * ensures one cycle at a time.
 *
 * Jobs are only hints. Essential data is in the sink's state; schedulers are checked every few seconds and at
 * every connect, and set again where they are missing.
 */
export class QueueSchedule implements Service, Schedule {
  readonly name = "queue-schedule";
  readonly #options: QueueScheduleOptions;
  readonly #sinks = new Map<string, ReplicaSink>();
  readonly #epoch: RedisEpoch;
  readonly #runner: CycleRunner;
  /** Sinks whose current scheduler this replica has not set yet. */
  #changed = new Set<string>();
  /** Sinks without a policy whose scheduler still exists. */
  #removed = new Set<string>();
  #queue: CycleQueue | undefined;
  readonly #wakeup = new Wakeup();
  /** When everything is checked again (monotonic ms). */
  #nextCheckMs = 0;
  /** The epoch of Redis at the last check. */
  #checkedEpoch = "";
  #isStopping = false;

  constructor(options: QueueScheduleOptions) {
    this.#options = options;
    const { replica } = options.reports;
    this.#epoch = new RedisEpoch({ ...options, replica });
    this.#runner = new CycleRunner({
      ...options,
      replica,
      epoch: this.#epoch,
      sinkOf: (key) => this.#sinks.get(key),
      schedulerIsOld: (key) => void this.#changed.add(key),
      unschedule: async (key) => this.#queue?.unschedule(key),
    });
  }

  start(plan: SinkPlan): void {
    if (this.#isStopping) return;
    const key = sinkKey(plan.policy, plan.name);
    const { exporterDeps, state, reports } = this.#options;
    this.#sinks.set(key, new ReplicaSink(plan, { exporterDeps, state, replica: reports.replica }));
    reports.follow(key);
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

  renew(plan: SinkPlan): void {
    this.#sinks.get(sinkKey(plan.policy, plan.name))?.renew(plan);
  }

  async remove(key: string): Promise<void> {
    const sink = this.#sinks.get(key);
    this.#sinks.delete(key);
    this.#options.reports.unfollow(key);
    this.#changed.delete(key);
    this.#removed.add(key);
    this.#checkNow();
    await sink?.stop();
  }

  /** Snapshots of the sinks whose last cycle ran in this replica; the other replicas report theirs. */
  snapshots(): ExporterSnapshot[] {
    return [...this.#sinks.values()].flatMap((sink) => sink.snapshot() ?? []);
  }

  snapshotOf(key: string): ExporterSnapshot | undefined {
    return this.#sinks.get(key)?.snapshot();
  }

  snapshot(): QueueScheduleSnapshot {
    const sinks = [...this.#sinks.values()];
    return {
      replica: this.#options.reports.replica,
      sinks: sinks.length,
      running: sinks.filter(({ isRunning }) => isRunning).length,
      cycles: this.#runner.cycles,
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
      connection.on("ready", () => this.#checkNow());
      const onError = (error: unknown): void =>
        log.debug({ error: describeError(error) }, "Redis did not respond to the schedule; trying again");
      const options = { clock, pauseAfterErrorMs: retryEveryMs, onError, wakeup: this.#wakeup };
      await runLoop(() => this.#tick(connection, workerConnection), options, signal);
    } finally {
      await this.#stop();
      await releasers.releaseAll();
    }
  }

  /**
   * Ends all cycles: gracefully first, at once after the shutdown timeout. Other replicas continue the sinks.
   */
  async #stop(): Promise<void> {
    this.#isStopping = true;
    this.#queue?.pause();
    await this.#runner.stop([...this.#sinks.values()], this.#options.shutdownTimeoutMs);
    await this.#queue?.close();
    this.#queue = undefined;
  }

  #checkNow(): void {
    this.#nextCheckMs = 0;
    this.#wakeup.wake();
  }

  /** Looks for a new epoch, and after a while checks everything. @returns the pause until the next look, ms */
  async #tick(connection: RedisConnection, workerConnection: RedisConnection): Promise<number> {
    if (connection.status !== "ready") return retryEveryMs;
    const nowMs = this.#options.clock.monotonicMs();
    await this.#epoch.check();
    const { known } = this.#epoch;
    if (known === this.#checkedEpoch && nowMs < this.#nextCheckMs) return lookForEpochEveryMs;
    // First, so that what changes meanwhile is checked afterwards.
    this.#nextCheckMs = nowMs + checkEveryMs;
    try {
      await this.#check(connection, workerConnection);
      this.#checkedEpoch = known;
    } catch (error) {
      this.#nextCheckMs = 0;
      throw error;
    }
    return lookForEpochEveryMs;
  }

  /** Checks everything that may have changed without a message. */
  async #check(connection: RedisConnection, workerConnection: RedisConnection): Promise<void> {
    const { clock, log } = this.#options;
    this.#queue ??= openCycleQueue(connection, workerConnection, {
      concurrency,
      process: (taken) => this.#runner.process(taken),
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
    await this.#options.reports.catchUp(connection);
    for (const sink of this.#sinks.values()) sink.rest();
  }

  #reschedule(key: string): void {
    this.#removed.delete(key);
    this.#changed.add(key);
    this.#checkNow();
  }

  #wanted(): Map<string, WantedScheduler> {
    return new Map(
      [...this.#sinks].map(([key, { plan, jobTimes }]) => [key, { job: cycleJobOf(plan), times: jobTimes }]),
    );
  }

  /** A changed sink skips the pause caused by its old settings, in whichever replica runs it. */
  async #tryAtOnce(key: string, plan: SinkPlan): Promise<void> {
    try {
      await endPause(key, this.#options.state.connection);
      await this.#queue?.ask(cycleJobOf(plan));
    } catch (error) {
      this.#options.log.debug({ sink: key, error: describeError(error) }, "a cycle could not be asked for");
    }
  }

  #listen(subscriber: RedisConnection): void {
    const { reports } = this.#options;
    subscriber.on("ready", () => {
      subscriber.subscribe(fleetKeys.taken, fleetKeys.reported).then(
        () => {
          reports.missed();
          this.#checkNow();
        },
        () => undefined,
      );
    });
    subscriber.on("message", (channel: string, message: string) => {
      if (channel === fleetKeys.reported) return reports.receive(message);
      const taken = parseTaken(message);
      if (taken !== undefined && taken.replica !== reports.replica)
        this.#sinks.get(taken.sink)?.leaveToOther();
    });
  }
}
