import type { TableOptions } from "../report/status-table.ts";
import { type Job, openLiveScreen, type Terminal } from "./live-screen.ts";
import { screenLines, type WatchState } from "./screen-lines.ts";
import type { WatchView } from "./watch-status.ts";

/** A live table on a terminal, redrawn in place. After a failure the last table stays. */
export function createScreenView(
  terminal: Terminal,
  job: Job,
  host: string,
  options: TableOptions,
  nowMs: () => number,
): WatchView & { close(): void } {
  let state: WatchState = { host };
  const redraw = (): void => screen.draw(screenLines(state, options, screen.size(), nowMs()));
  const screen = openLiveScreen(terminal, job, redraw);
  redraw();
  return {
    show(status, atMs) {
      state = { host, latest: { status, atMs } };
      redraw();
    },
    fail(reason, atMs) {
      state = { ...state, failure: { reason, sinceMs: state.failure?.sinceMs ?? atMs } };
      redraw();
    },
    close: screen.close,
  };
}
