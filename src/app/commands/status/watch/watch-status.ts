import type { Clock } from "../../../../base/core/clock.ts";
import { describeError } from "../../../../base/core/errors.ts";
import { runLoop } from "../../../../base/core/loop.ts";
import type { DaemonStatus } from "../../../../exporter/policy/status/status-view.ts";

/** Shows what a watch fetched. */
export interface WatchView {
  show(status: DaemonStatus, nowMs: number): void;
  /** The status could not be fetched, for a reason that may be hostile text. */
  fail(reason: string, nowMs: number): void;
}

/** Fetches the status again and again until the signal aborts. A failure is shown; the next attempt follows. */
export async function watchStatus(
  fetchStatus: (signal: AbortSignal) => Promise<DaemonStatus>,
  view: WatchView,
  intervalMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const refresh = async (): Promise<number> => {
    const status = await fetchStatus(signal);
    view.show(status, clock.nowMs());
    return intervalMs;
  };
  const onError = (error: unknown) => view.fail(describeError(error), clock.nowMs());
  await runLoop(refresh, { clock, pauseAfterErrorMs: intervalMs, onError }, signal);
}
