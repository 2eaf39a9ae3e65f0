import { DelayedError, type Job, Queue, Worker } from "bullmq";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError } from "../../../base/core/errors.ts";
import { endsWithin } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import { keyPrefix, type RedisConnection } from "../../../base/redis/connection.ts";
import { type CycleJob, type JobEnd, parseCycleJob } from "./cycle-job.ts";
import { isOverdue, type WantedScheduler } from "./scheduler-changes.ts";

/** The BullMQ queue of a fleet's cycles: a job scheduler for each sink, and workers in all replicas. */
export const cycleQueueName = "export-cycles";

const jobName = "cycle";
/**
 * A dead replica's jobs resume elsewhere after at most the sum of both (plus half a second of work). The
 * first is longer than a sink's lease, so that most jobs find it free.
 */
const lockDurationMs = 12_000;
const stalledIntervalMs = 5_000;
const kept = { count: 100 };
const jobOptions = { removeOnComplete: kept, removeOnFail: kept, stackTraceLimit: 1 };
const closeLimitMs = 3_000;
const tellQueueMs = 50;
/** Number of schedulers requested at a time. */
const batchSize = 50;

export interface TakenJob {
  readonly job: CycleJob;
  /** Time since the job was due. */
  readonly ageMs: number;
  /** The replica that ran the job before has died. */
  readonly isTakenOver: boolean;
}

interface CycleQueueOptions {
  /** Maximum number of concurrent jobs in this process. */
  readonly concurrency: number;
  readonly process: (taken: TakenJob) => Promise<JobEnd>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface CycleQueue {
  /** The due time of each sink's next job (Unix ms). */
  schedulers(): Promise<ReadonlyMap<string, number>>;
  /** Sets the schedulers that differ from this; a scheduler with a newer generation is kept. */
  schedule(wanted: readonly WantedScheduler[]): Promise<void>;
  unschedule(sink: string): Promise<void>;
  /** Requests a cycle at once; several requests for the same sink make one cycle. */
  ask(job: CycleJob): Promise<void>;
  /** Stops taking jobs. */
  pause(): void;
  /** Call when no job is running. */
  close(): Promise<void>;
}

/**
 * @param connection a `background` connection, for the queue
 * @param workerConnection a `worker` connection; both are closed by the caller, after `close`
 */
export function openCycleQueue(
  connection: RedisConnection,
  workerConnection: RedisConnection,
  options: CycleQueueOptions,
): CycleQueue {
  const { clock, log } = options;
  const common = { prefix: keyPrefix, skipVersionCheck: true };
  const queue = new Queue(cycleQueueName, { ...common, connection, skipWaitingForReady: true });
  const worker = new Worker(cycleQueueName, process, {
    ...common,
    connection: workerConnection,
    concurrency: options.concurrency,
    lockDuration: lockDurationMs,
    stalledInterval: stalledIntervalMs,
    // A cycle that repeatedly kills its process is visible by that; abandoning its sink would lose data.
    maxStalledCount: 1_000_000,
    // By default a worker that lost Redis for a moment pauses for 15 s.
    runRetryDelay: 1_000,
    metrics: { maxDataPoints: 60 },
  });
  // The connections log their own loss; without a listener an error would end the process.
  queue.on("error", (error) =>
    log.debug({ error: describeError(error) }, "the queue of cycles has an error"),
  );
  worker.on("error", (error) =>
    log.debug({ error: describeError(error) }, "the worker of cycles has an error"),
  );
  worker.on("stalled", (id) => {
    log.info({ job: id }, "a replica ended in the middle of a cycle; the job will run again");
  });
  worker.on("failed", (job, error) =>
    log.error({ sink: job?.data?.sink, error: describeError(error) }, "a cycle failed; the sink tries again"),
  );

  async function process(job: Job, token: string | undefined): Promise<string> {
    const parsed = parseCycleJob(job.data);
    if (parsed === undefined) return "not a job of this version";
    const end = await options.process({
      job: parsed,
      ageMs: clock.nowMs() - job.timestamp - (job.opts.delay ?? 0),
      isTakenOver: job.stalledCounter > 0,
    });
    if (end.kind === "done") return "done";
    // Behind the waiting jobs: a sink with a backlog must not starve the others.
    await job.moveToDelayed(clock.nowMs() + end.afterMs, token);
    throw new DelayedError();
  }

  async function schedule({ job, times }: WantedScheduler): Promise<void> {
    const found = await queue.getJobScheduler(job.sink);
    const known = parseCycleJob(found?.template?.data);
    const overdueMs = clock.nowMs() - (found?.next ?? 0);
    const isAlike = found?.every === times.periodMs && known !== undefined && known.uid === job.uid;
    if (isAlike && known.generation >= job.generation && !isOverdue(overdueMs, times)) return;
    // A scheduler whose next job was lost would never create another.
    if (found !== undefined && isOverdue(overdueMs, times)) await queue.removeJobScheduler(job.sink);
    const repeat = { every: times.periodMs, offset: times.offsetMs };
    await queue.upsertJobScheduler(job.sink, repeat, { name: jobName, data: job, opts: jobOptions });
  }

  return {
    async schedulers() {
      // The queue's own list of schedulers with their next due times; BullMQ's getter would read each
      // scheduler's hash.
      const reply = await connection.zrange(queue.toKey("repeat"), 0, -1, "WITHSCORES");
      const next = new Map<string, number>();
      for (let index = 0; index + 1 < reply.length; index += 2) {
        next.set(reply[index] ?? "", Number(reply[index + 1]));
      }
      return next;
    },
    async schedule(wanted) {
      for (let start = 0; start < wanted.length; start += batchSize) {
        await Promise.all(wanted.slice(start, start + batchSize).map(schedule));
      }
    },
    unschedule: async (sink) => void (await queue.removeJobScheduler(sink)),
    ask: async (job) =>
      void (await queue.add(jobName, job, { ...jobOptions, deduplication: { id: job.sink } })),
    // Not awaited: the promise waits for nothing of ours, and cannot resolve before the queue is closed.
    pause: () => void worker.pause(true).catch(() => undefined),
    async close() {
      // Gives the last messages time to leave.
      await clock.sleep(tellQueueMs, new AbortController().signal);
      // A graceful close waits for Redis for as long as it is unavailable.
      await endsWithin(worker.close(true), closeLimitMs, clock);
      await endsWithin(queue.close(), closeLimitMs, clock);
    },
  };
}
