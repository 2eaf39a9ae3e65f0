import { setMaxListeners } from "node:events";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/log/log.ts";
import { FencedError } from "../../../base/redis/lease.ts";
import type { RedisEpoch } from "../fleet/redis-epoch.ts";
import type { RedisState } from "../fleet/redis-state.ts";
import { type SinkLease, takeSinkLease } from "../fleet/sink-lease.ts";
import { cycleJobOf, done, type JobEnd, jobEnd, judgeJob } from "./cycle-job.ts";
import type { TakenJob } from "./cycle-queue.ts";
import type { ReplicaSink } from "./replica-sink.ts";

const stepAsideMs = 1_000;

interface CycleRunnerOptions {
  readonly state: RedisState;
  readonly epoch: RedisEpoch;
  readonly replica: string;
  readonly clock: Clock;
  readonly log: Logger;
  sinkOf(key: string): ReplicaSink | undefined;
  /** The sink's scheduler was last set by a replica with an older policy. */
  schedulerIsOld(key: string): void;
  /** No replica has the sink. */
  unschedule(key: string): Promise<void>;
}

/** Runs the jobs that a replica takes from the queue: each is one cycle of a sink, under the sink's lease. */
export class CycleRunner {
  readonly #options: CycleRunnerOptions;
  readonly #hardStop = new AbortController();
  readonly #inProgress = new Set<Promise<unknown>>();
  #isStopping = false;
  #cycles = 0;

  constructor(options: CycleRunnerOptions) {
    this.#options = options;
    // Every cycle in progress listens to it; Node.js would warn of a leak above ten listeners.
    setMaxListeners(0, this.#hardStop.signal);
  }

  /** Number of cycles run by this replica. */
  get cycles(): number {
    return this.#cycles;
  }

  /** Stops starting cycles, and ends those of these sinks: gracefully first, at once after the limit. */
  async stop(sinks: readonly ReplicaSink[], limitMs: number): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#hardStop.abort(new Error("shutdown timeout")), limitMs);
    await Promise.all(sinks.map((sink) => sink.stop()));
    await Promise.allSettled(this.#inProgress);
    clearTimeout(timer);
  }

  /** @throws only for internal errors; failures of a receiver, the store or Redis never throw */
  async process(taken: TakenJob): Promise<JobEnd> {
    const processing = this.#judge(taken);
    this.#inProgress.add(processing);
    try {
      return await processing;
    } finally {
      // Deferred until BullMQ has the response, which it gets in this turn of the event loop.
      setImmediate(() => this.#inProgress.delete(processing));
    }
  }

  async #judge({ job, ageMs, isTakenOver }: TakenJob): Promise<JobEnd> {
    const { epoch, sinkOf, schedulerIsOld, unschedule } = this.#options;
    const sink = sinkOf(job.sink);
    if (this.#isStopping) return { kind: "again", afterMs: 0 };
    if (epoch.restMs > 0) return { kind: "again", afterMs: epoch.restMs };
    const own = sink && cycleJobOf(sink.plan);
    if (own !== undefined && own.generation > job.generation) schedulerIsOld(job.sink);
    const verdict = judgeJob(job, own, ageMs);
    if (verdict === "step-aside") return { kind: "again", afterMs: stepAsideMs };
    if (verdict === "drop" || sink === undefined) {
      // A replica that does have the sink sets the scheduler again.
      await unschedule(job.sink);
      return done;
    }
    if (sink.isRunning) return done;
    return sink.exclusively(() => this.#run(job.sink, sink, isTakenOver));
  }

  async #run(key: string, sink: ReplicaSink, isTakenOver: boolean): Promise<JobEnd> {
    const { state, epoch, replica, clock, log } = this.#options;
    const of = { isTakenOver, periodMs: sink.jobTimes.periodMs };
    const outcome = await takeSinkLease(key, {
      redis: state.connection,
      clock,
      replica,
      respectBackoff: true,
    });
    if (outcome.kind !== "taken") return jobEnd(outcome, of);
    const { lease } = outcome;
    if (isFirst(lease)) {
      await epoch.check();
      const { restMs } = epoch;
      if (restMs > 0) {
        await lease.release(lease.deliveryState);
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
        "cycle aborted; the sink's next cycle resumes its work",
      );
      return { kind: "again", afterMs: stepAsideMs };
    }
  }
}

/** Whether the sink's lease has never been taken in this Redis. */
function isFirst({ fence }: SinkLease): boolean {
  return fence.startsWith("1-");
}
