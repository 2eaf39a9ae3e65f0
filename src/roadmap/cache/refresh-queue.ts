import { DelayedError, type Job, Queue, Worker } from "bullmq";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/core/log.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import type { BoardFailure } from "../board/board.ts";
import { retryDelayMs } from "./refresh.ts";
import type { RunResult } from "./refresh-run.ts";

/**
 * The BullMQ queue `roadmap-refresh`. Two kinds of jobs: `scheduled` comes from the job scheduler every interval and only
 * asks for a `refresh`; of `refresh` there is one in the whole fleet, whoever asked (deduplication): waiting, running, or
 * waiting out the pause after a failure. So a board that is down is asked at the pace of the backoff, however many
 * schedules and requests come together.
 */
export const queueName = "roadmap-refresh";

const schedulerId = "roadmap-refresh";
const refreshId = "refresh";
/** A worker that dies is noticed after at most the sum: its job goes on elsewhere within 15 s. */
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;
/** The board's failures have no last attempt: the cache must come back by itself after any outage. */
const attempts = 1_000_000_000;
const kept = { count: 50 };
const closeLimitMs = 3_000;
const tellQueueMs = 50;

/** Why a refresh is asked for. `changed` and `clock` do not wait for a pause after a failure. */
export type RefreshReason = "scheduled" | "stale" | "changed" | "clock";

export interface RefreshQueue {
  /** Makes sure of the scheduler, which a wiped Redis has lost. `afresh` also when it is there, for a stepped clock. */
  ensureScheduled(afresh: boolean): Promise<void>;
  request(reason: RefreshReason): Promise<void>;
  close(): Promise<void>;
}

export interface RefreshQueueOptions {
  readonly refreshIntervalMs: number;
  readonly run: (signal: AbortSignal) => Promise<RunResult>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** A failed refresh as BullMQ wants it: thrown, so that it is tried again. */
class RefreshFailure extends Error {
  readonly failure: BoardFailure;

  constructor(failure: BoardFailure) {
    super(`${failure.kind}: ${failure.message}`);
    this.failure = failure;
  }
}

/**
 * @param connection a `background` connection, for the queue
 * @param workerConnection a `worker` connection; both are closed by the caller, after `close`
 * @param signal ends the job in progress, which then goes back to the queue
 */
export function openRefreshQueue(
  connection: RedisConnection,
  workerConnection: RedisConnection,
  options: RefreshQueueOptions,
  signal: AbortSignal,
): RefreshQueue {
  const { clock, log, refreshIntervalMs } = options;
  const common = { prefix: keyPrefix, skipVersionCheck: true };
  const queue = new Queue(queueName, { ...common, connection, skipWaitingForReady: true });
  const inProgress = new Set<Promise<string>>();
  const worker = new Worker(
    queueName,
    (job, token) => {
      const processing = process(job, token);
      inProgress.add(processing);
      const over = (): void => void inProgress.delete(processing);
      processing.then(over, over);
      return processing;
    },
    {
      ...common,
      connection: workerConnection,
      concurrency: 1,
      lockDuration: lockDurationMs,
      stalledInterval: stalledIntervalMs,
      maxStalledCount: 100,
      settings: {
        backoffStrategy: (attempt, _type, error) =>
          retryDelayMs(
            attempt,
            error instanceof RefreshFailure ? error.failure : undefined,
            options.random(),
          ),
      },
    },
  );
  // The connections log their own loss; without a listener an error would end the process.
  queue.on("error", (error) => log.debug({ error: describeError(error) }, "the roadmap queue has an error"));
  worker.on("error", (error) =>
    log.debug({ error: describeError(error) }, "the roadmap worker has an error"),
  );
  worker.on("stalled", (id) => log.warn({ job: id }, "a replica died while it refreshed; taking over"));

  async function request(reason: RefreshReason): Promise<void> {
    const isUrgent = reason === "changed" || reason === "clock";
    await queue.add(
      "refresh",
      { reason },
      {
        deduplication: {
          id: refreshId,
          // What changed after a running refresh has read it needs one more; a pause after a failure need not be kept.
          ...(isUrgent ? { keepLastIfActive: true, reschedule: true } : {}),
        },
        attempts,
        backoff: { type: "custom" },
        stackTraceLimit: 1,
        removeOnComplete: kept,
        removeOnFail: kept,
      },
    );
  }

  async function process(job: Job, token: string | undefined): Promise<string> {
    if (job.name !== "refresh") {
      await request("scheduled");
      return "asked for a refresh";
    }
    try {
      const result = await options.run(signal);
      if (result.kind === "failed") throw new RefreshFailure(result.failure);
      return result.kind;
    } catch (error) {
      if (!signal.aborted) throw error;
      // This replica stops: another one, or the next start, goes on at once instead of waiting for a stall.
      await job.moveToDelayed(clock.nowMs(), token);
      throw new DelayedError();
    }
  }

  async function ensureScheduled(afresh: boolean): Promise<void> {
    const found = afresh ? undefined : await queue.getJobScheduler(schedulerId);
    const overdueMs = clock.nowMs() - (found?.next ?? 0);
    if (found?.every === refreshIntervalMs && overdueMs < refreshIntervalMs + 60_000) return;
    if (afresh) await queue.removeJobScheduler(schedulerId);
    await queue.setGlobalConcurrency(1);
    await queue.upsertJobScheduler(
      schedulerId,
      { every: refreshIntervalMs },
      { name: "scheduled", opts: { attempts: 3, removeOnComplete: kept, removeOnFail: kept } },
    );
  }

  return {
    request,
    ensureScheduled,
    async close() {
      // An orderly close of the worker waits for Redis, for as long as it is away, and cannot be hurried afterwards. So
      // what it would wait for is done here: the job ends by its signal, and gets a moment to tell the queue.
      await within(Promise.allSettled(inProgress));
      await clock.sleep(tellQueueMs, new AbortController().signal);
      await within(worker.close(true));
      await within(queue.close());
    },
  };

  async function within(closing: Promise<unknown>): Promise<boolean> {
    const limit = new AbortController();
    const isClosed = await Promise.race([
      closing.then(
        () => true,
        () => true,
      ),
      clock.sleep(closeLimitMs, limit.signal).then(
        () => false,
        () => false,
      ),
    ]);
    limit.abort();
    return isClosed;
  }
}
