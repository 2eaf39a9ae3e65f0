import { systemClock } from "../../../../base/core/clock.ts";
import type { LineSink } from "../../../../base/log/log.ts";
import { fetchStatus, statusUrl } from "../report/fetch-status.ts";
import { checkStatusOptions, type StatusOptions } from "../report/status.ts";
import { createChangesView } from "./changes-view.ts";
import { defaultIntervalMs } from "./interval.ts";
import { createJsonView } from "./json-view.ts";
import type { Job, Terminal } from "./live-screen.ts";
import { createScreenView } from "./screen-view.ts";
import { type WatchView, watchStatus } from "./watch-status.ts";

/** The command's output and what it runs in. */
export interface WatchOutput {
  readonly out: Terminal & LineSink;
  readonly warnings: LineSink;
  /** Whether `out` is a terminal on which lines can be overwritten. */
  readonly isScreen: boolean;
  readonly job: Job;
}

/**
 * `telemetryd status --watch`: a live table on a terminal, elsewhere a line for each change; with JSON a
 * document per line. Ends with the signal, and then throws its reason.
 *
 * @throws INVALID_ARGUMENT for invalid options
 */
export async function watchAndShow(
  options: StatusOptions,
  to: WatchOutput,
  signal: AbortSignal,
): Promise<void> {
  checkStatusOptions(options);
  const { address, interval = defaultIntervalMs } = options;
  const watch = (view: WatchView) =>
    watchStatus((each) => fetchStatus(address, each), view, interval, systemClock, signal);
  const { host } = statusUrl(address);
  const table = { wide: options.output === "wide", sort: options.sort ?? "name" };
  if (options.output === "json") await watch(createJsonView(to.out, to.warnings));
  else if (!to.isScreen) await watch(createChangesView(to.out, to.warnings, table));
  else {
    const screen = createScreenView(to.out, to.job, host, table, systemClock.nowMs);
    try {
      await watch(screen);
    } finally {
      screen.close();
    }
  }
  signal.throwIfAborted();
}
