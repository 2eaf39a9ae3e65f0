import { join } from "node:path";
import type { Clock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { type CheckTimes, lookBackMs } from "../../exporter/delivery/late/check-times.ts";
import { FileSentLog } from "../../exporter/delivery/late/file-sent-log.ts";
import type { SentLog } from "../../exporter/delivery/late/sent-log.ts";
import type { Config } from "../config/schema.ts";
import type { Fleet } from "./fleet.ts";

/** The steps by which samples are counted. */
const stepMs = 60_000;
/**
 * Records are kept for this long after samples of their time are no longer sent: what comes later still can
 * be seen, and counted.
 */
const restMs = 2 * 60_000;

/** What the daemon remembers of the samples it has sent. */
export interface OpenSentLog {
  readonly sent: SentLog;
  readonly isShared: boolean;
  close(): Promise<void>;
}

/** @returns undefined with `delivery.lateness: 0s` */
export async function openSentLog(
  config: Config,
  fleet: Fleet | undefined,
  clock: Clock,
  log: Logger,
): Promise<OpenSentLog | undefined> {
  const { latenessMs, sentLog } = config.delivery;
  if (latenessMs === 0) return undefined;
  const keepMs = lookBackMs(checkTimes(latenessMs)) + restMs;
  if (fleet !== undefined) {
    return { sent: fleet.sentLog(stepMs, keepMs), isShared: true, close: async () => undefined };
  }
  const directory = join(config.state.directory, "sent");
  const sent = await FileSentLog.open({ directory, stepMs, keepMs, maxBytes: sentLog.maxBytes, clock, log });
  return { sent, isShared: false, close: () => sent.close() };
}

/**
 * When the store is asked for its counts. A count costs the store about as much as reading a window
 * (bench/late.ts), so there are few of them until samples come late.
 */
export function checkTimes(latenessMs: number): CheckTimes {
  return {
    horizonMs: latenessMs,
    // VictoriaMetrics shows a query its samples after -search.latencyOffset, 30 s.
    delayMs: 45_000,
    quietMs: 330_000,
    alertMs: 90_000,
  };
}
