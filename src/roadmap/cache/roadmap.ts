import { join } from "node:path";
import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import { describeError } from "../../base/core/errors.ts";
import { runLoop, Wakeup } from "../../base/core/loop.ts";
import { Releasers, type Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import type { RedisConnection } from "../../base/redis/connection.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import { createFileBoard } from "../board/file-board.ts";
import { createGithubBoard, type GithubBoardOptions } from "../board/github-board.ts";
import {
  type AnnouncedChanges,
  createAnnouncedChanges,
  leadMs,
  type PendingChange,
  settleMs,
} from "./announced-changes.ts";
import { type BacklogCache, createBacklogCache } from "./backlog-cache.ts";
import { createRoadmapMetrics, type RoadmapMetrics } from "./metrics.ts";
import { openRefreshQueue, type RefreshQueue } from "./refresh-queue.ts";
import { type RunResult, runRefresh } from "./refresh-run.ts";
import { createReplica } from "./replica.ts";
import { createSharedCache } from "./shared-cache.ts";
import { eventsChannel } from "./shared-event.ts";
import { createWarmFile } from "./warm-file.ts";

/**
 * The roadmap cache: this file wires its parts. Reading order: `backlog.ts` (the data), `board.ts` (its
 * source), `refresh.ts` (one refresh), `refresh-run.ts` (one refresh per fleet), `refresh-queue.ts`
 * (scheduling), `shared-cache.ts`, `backlog-cache.ts` and `replica.ts` (storage).
 */
export interface RoadmapOptions {
  readonly source:
    | ({ readonly kind: "github" } & Omit<GithubBoardOptions, "clock">)
    | { readonly kind: "file"; readonly file: string };
  /** The statuses to show, in this order. */
  readonly statuses: readonly string[];
  readonly refreshIntervalMs: number;
  readonly stateDirectory: string;
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
}

/** The website API's view of the roadmap. */
export type RoadmapReader = Pick<BacklogCache, "status" | "backlog" | "noticeRequest">;

/**
 * Announces that the board has changed: it is read soon, and again when the change has surely reached the
 * API of its service.
 *
 * @param ids identify the announcement; one with an id that was announced before starts nothing
 * @throws any rejection from Redis; the change is then unknown
 */
export type AnnounceChange = (ids: readonly string[]) => Promise<"noted" | "repeated">;

export interface Roadmap {
  readonly reader: RoadmapReader;
  readonly announce: AnnounceChange;
  readonly service: Service;
  readonly registry: Registry;
}

/** Interval between syncs with Redis without a message: a lost message is recovered within this time. */
const syncEveryMs = 5_000;
const retryEveryMs = 500;
const maxReadAgeMs = 6 * 3_600_000;
/** A wall clock that deviates by this much from the monotonic one has been set. */
const clockStepMs = 5_000;

export function createRoadmap(options: RoadmapOptions): Roadmap {
  const { source, clock, log } = options;
  const board =
    source.kind === "file" ? createFileBoard(source.file, clock) : createGithubBoard({ ...source, clock });
  const warmFile = createWarmFile(join(options.stateDirectory, "roadmap-backlog.json"), log);
  let queue: RefreshQueue | undefined;
  let changes: AnnouncedChanges | undefined;
  let soon: NodeJS.Timeout | undefined;
  /** When this replica last noted a change that is not known to have been read (Unix ms). */
  let notedMs: number | undefined;
  const wakeup = new Wakeup();

  const cache = createBacklogCache({
    clock,
    refreshIntervalMs: options.refreshIntervalMs,
    onStale: () => request("stale"),
    onTake: (entry) => warmFile.save(entry),
  });
  const metrics = createRoadmapMetrics(() => cache);

  function request(reason: "stale" | "changed" | "announced"): void {
    const ask = async (): Promise<void> => {
      const delayMs = reason === "announced" ? await changes?.readDelayMs() : undefined;
      await queue?.request(reason, delayMs);
    };
    ask().catch((error: unknown) =>
      log.debug({ reason, error: describeError(error) }, "a refresh could not be asked for"),
    );
  }

  async function announce(ids: readonly string[]): Promise<"noted" | "repeated"> {
    if (changes === undefined) throw new Error("Redis has not been reached yet");
    const askedMs = clock.nowMs();
    const result = await changes.note(ids);
    if (result === "noted") {
      notedMs = askedMs;
      soon ??= setTimeout(() => {
        soon = undefined;
        request("announced");
      }, leadMs).unref();
      // `tick` asks again when the change has settled, also if this request fails.
      wakeup.wake();
    }
    return result;
  }

  async function run(signal: AbortSignal): Promise<void> {
    const releasers = new Releasers();
    const open = (role: "background" | "worker" | "subscriber", name: string): RedisConnection => {
      const connection = options.redis.open(role, name);
      releasers.push(() => connection.disconnect());
      return connection;
    };
    try {
      const warm = await warmFile.read();
      if (warm?.backlog.meta.board === board.id) cache.take(warm);
      const connection = open("background", "roadmap");
      const workerConnection = open("worker", "roadmap-worker");
      const subscriber = open("subscriber", "roadmap-events");
      const shared = createSharedCache(connection, clock);
      const announced = createAnnouncedChanges(connection);
      const onInvalid = (): void => metrics.foundInvalid();
      // Whether a change was announced is unknown then: the board is read.
      const onLoss = async (): Promise<void> => void (await announced.note([]));
      const replica = createReplica({ cache, shared, board, log, onInvalid, onLoss });
      const report = createReporter(cache, metrics, log);

      const runJob = async (jobSignal: AbortSignal): Promise<RunResult> => {
        const startedMs = clock.monotonicMs();
        const settings = { statuses: options.statuses, maxReadAgeMs, nowMs: () => clock.nowMs() };
        const { sync } = replica;
        try {
          const parts = { board, settings, cache, shared, changes: announced, clock, sync };
          const result = await runRefresh(parts, jobSignal);
          report(result, clock.monotonicMs() - startedMs);
          return result;
        } catch (error) {
          metrics.refreshed("interrupted", (clock.monotonicMs() - startedMs) / 1_000);
          throw error;
        }
      };
      const openQueue = (): RefreshQueue => {
        const { refreshIntervalMs, random = Math.random } = options;
        const queueOptions = { refreshIntervalMs, run: runJob, clock, random, log };
        const opened = openRefreshQueue(connection, workerConnection, queueOptions, signal);
        releasers.push(() => opened.close());
        return opened;
      };

      /** A mark that is gone although the board was not read since: Redis has lost its newest writes. */
      const noteAgain = async (): Promise<PendingChange | undefined> => {
        if (notedMs === undefined) return undefined;
        const readMs = cache.entry()?.backlog.meta.readAt ?? 0;
        const isRead = readMs >= notedMs + settleMs;
        if (!isRead) await announced.note([]);
        // Once: by the clock of another replica, no read may be late enough.
        notedMs = undefined;
        return isRead ? undefined : announced.pending();
      };

      const offsetMs = (): number => clock.nowMs() - clock.monotonicMs();
      let knownOffsetMs = offsetMs();
      /** Checks for changes that no message announces. @returns the pause until the next check, ms */
      const tick = async (): Promise<number> => {
        if (connection.status !== "ready" && connection.status !== "connect") return retryEveryMs;
        const isFirst = queue === undefined;
        queue ??= openQueue();
        changes = announced;
        await replica.sync();
        const steppedMs = offsetMs() - knownOffsetMs;
        const isStepped = Math.abs(steppedMs) > clockStepMs;
        await queue.ensureScheduled(isStepped);
        if (isStepped) {
          log.warn({ byMs: Math.round(steppedMs) }, "the clock was set; the roadmap is refreshed");
          await queue.request("clock");
          knownOffsetMs += steppedMs;
        }
        // The board, or the configured statuses, may have changed while no replica ran.
        if (isFirst) request("stale");
        cache.noticeRequest();
        const change = (await announced.pending()) ?? (await noteAgain());
        if (change === undefined) return syncEveryMs;
        const settlesInMs = settleMs - change.ageMs;
        if (settlesInMs > 0) return Math.min(settlesInMs, syncEveryMs);
        if (cache.status()?.isRefreshing !== true) request("announced");
        return syncEveryMs;
      };

      connection.on("ready", wakeup.wake);
      subscriber.on("ready", () => {
        subscriber.subscribe(eventsChannel).catch(() => undefined);
      });
      subscriber.on("message", (_channel: string, message: string) => {
        if (replica.receive(message)) wakeup.wake();
      });
      const watching = board.watch?.(() => request("changed"), signal);
      releasers.push(() => watching);
      const onError = (error: unknown): void =>
        log.debug({ error: describeError(error) }, "Redis did not respond to the roadmap; trying again");
      await runLoop(tick, { clock, pauseAfterErrorMs: retryEveryMs, onError, wakeup }, signal);
    } finally {
      clearTimeout(soon);
      soon = undefined;
      changes = undefined;
      queue = undefined;
      // The queue was opened last, so it closes before its connections.
      await releasers.releaseAll();
      await warmFile.saved();
    }
  }

  return {
    reader: cache,
    announce,
    registry: metrics.registry,
    service: {
      name: "roadmap",
      run,
      snapshot: () => ({ board: board.id, ...cache.status(), items: cache.backlog()?.items.length ?? 0 }),
    },
  };
}

/** Logs and counts the results of refreshes; a board's warning is logged once. */
function createReporter(
  cache: BacklogCache,
  metrics: RoadmapMetrics,
  log: Logger,
): (result: RunResult, tookMs: number) => void {
  const logged = new Set<string>();
  return (result, tookMs) => {
    metrics.refreshed(result.kind, tookMs / 1_000);
    if (result.kind === "skipped") return;
    if (result.kind === "failed") {
      metrics.failed(result.failure.kind);
      log.warn({ kind: result.failure.kind }, `the roadmap was not refreshed: ${result.failure.message}`);
      return;
    }
    const items = cache.backlog()?.items.length;
    log.info({ result: result.kind, items, tookMs: Math.round(tookMs) }, "the roadmap was refreshed");
    for (const warning of result.warnings.filter((one) => !logged.has(one))) {
      logged.add(warning);
      log.warn(warning);
    }
  };
}
