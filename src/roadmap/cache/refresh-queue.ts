import { DelayedError, type Job, Queue, Worker } from "bullmq";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { onAbort } from "../../base/core/on-abort.ts";
import { endsWithin } from "../../base/core/signals.ts";
import type { Logger } from "../../base/log/log.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import type { BoardFailure } from "../board/board.ts";
import { retryDelayMs } from "./refresh.ts";
import type { RunResult } from "./refresh-run.ts";

/**
 * The BullMQ queue `roadmap-refresh`. It has two kinds of jobs. `scheduled` comes from the job scheduler
 * every interval and only requests a `refresh`. `refresh` exists once in the whole fleet (deduplication):
 * waiting, running, or in backoff after a failure. A failing board is therefore polled at the pace of the
 * backoff, however many schedules and requests there are.
 */
export const queueName = "roadmap-refresh";

const schedulerId = "roadmap-refresh";
const refreshId = "refresh";
/** A dead worker is detected after the sum of both at most; its job then moves to another worker. */
const lockDurationMs = 10_000;
const stalledIntervalMs = 5_000;
/** Board failures are retried forever: the cache must recover by itself after any outage. */
const attempts = 1_000_000_000;
const kept = { count: 50 };
const closeLimitMs = 3_000;
const tellQueueMs = 50;

/**
 * The reason for a refresh. `changed` and `clock` override the backoff after a failure. `announced` does not:
 * the service that announces changes may be the one that asked for a pause.
 */
export type RefreshReason = "scheduled" | "stale" | "changed" | "announced" | "clock";

export interface RefreshQueue {
  /** Creates a missing scheduler (wiped Redis); `afresh` recreates it after a clock step. */
  ensureScheduled(afresh: boolean): Promise<void>;
  /** @param delayMs until the refresh may start; one that already waits starts when it would have */
  request(reason: RefreshReason, delayMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface RefreshQueueOptions {
  readonly refreshIntervalMs: number;
  readonly run: (signal: AbortSignal) => Promise<RunResult>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** A failed refresh in the form BullMQ expects: thrown, so that it is retried. */
class RefreshFailure extends Error {
  readonly failure: BoardFailure;

  constructor(failure: BoardFailure) {
    super(`${failure.kind}: ${failure.message}`);
    this.failure = failure;
  }
}

/**
 * @param connection a `background` connection, for the queue
 * @param workerConnection a `worker` connection; the caller closes both after `close`
 * @param signal aborts the job in progress, which returns to the queue
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
  const worker = new Worker(queueName, track, {
    ...common,
    connection: workerConnection,
    concurrency: 1,
    lockDuration: lockDurationMs,
    stalledInterval: stalledIntervalMs,
    maxStalledCount: 100,
    settings: {
      backoffStrategy: (attempt, _type, error) =>
        retryDelayMs(attempt, error instanceof RefreshFailure ? error.failure : undefined, options.random()),
    },
  });
  // At once: a worker that may take jobs takes back the one that it has just returned to the queue.
  const pause = (): void => void worker.pause(true).catch(() => undefined);
  const forgetPause = onAbort(signal, pause);
  // The connections log their own loss; without a listener an error would end the process.
  queue.on("error", (error) => log.debug({ error: describeError(error) }, "the roadmap queue has an error"));
  worker.on("error", (error) =>
    log.debug({ error: describeError(error) }, "the roadmap worker has an error"),
  );
  worker.on("stalled", (id) => log.warn({ job: id }, "a replica died while it refreshed; taking over"));

  async function request(reason: RefreshReason, delayMs = 0): Promise<void> {
    const isUrgent = reason === "changed" || reason === "clock";
    const isChange = isUrgent || reason === "announced";
    await queue.add(
      "refresh",
      { reason },
      {
        // A change that a running refresh may have missed needs another one.
        deduplication: { id: refreshId, keepLastIfActive: isChange, reschedule: isUrgent },
        delay: delayMs,
        attempts,
        backoff: { type: "custom" },
        stackTraceLimit: 1,
        removeOnComplete: kept,
        removeOnFail: kept,
      },
    );
  }

  function track(job: Job, token: string | undefined): Promise<string> {
    const processing = process(job, token);
    inProgress.add(processing);
    const end = (): void => void inProgress.delete(processing);
    processing.then(end, end);
    return processing;
  }

  async function process(job: Job, token: string | undefined): Promise<string> {
    if (job.name !== "refresh") {
      await request("scheduled");
      return "asked for a refresh";
    }
    try {
      signal.throwIfAborted();
      const result = await options.run(signal);
      if (result.kind === "failed") throw new RefreshFailure(result.failure);
      return result.kind;
    } catch (error) {
      if (!signal.aborted) throw error;
      // This replica stops: another one, or the next start, continues at once instead of waiting for a stall.
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
      forgetPause();
      pause();
      // The worker's own graceful close waits until Redis is available.
      await endsWithin(Promise.allSettled(inProgress), closeLimitMs, clock);
      // For the last messages, and for a job that was being taken.
      await clock.sleep(tellQueueMs, new AbortController().signal);
      await endsWithin(Promise.allSettled(inProgress), closeLimitMs, clock);
      await endsWithin(worker.close(true), closeLimitMs, clock);
      await endsWithin(queue.close(), closeLimitMs, clock);
    },
  };
}
