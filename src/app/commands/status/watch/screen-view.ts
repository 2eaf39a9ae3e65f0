import type { TableOptions } from "../report/status-table.ts";
import { type Job, openLiveScreen, type Terminal } from "./live-screen.ts";
import { screenLines, type Urgency, type WatchState } from "./screen-lines.ts";
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
  // Without colours where the terminal has none, or NO_COLOR asks for that.
  const paint = terminal.hasColors?.() === true ? coloured : undefined;
  const redraw = (): void => screen.draw(screenLines(state, options, screen.size(), nowMs(), paint));
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

const colours: Readonly<Record<Urgency, string>> = { none: "", warning: "\u001b[33m", alarm: "\u001b[31m" };

function coloured(text: string, urgency: Urgency): string {
  return urgency === "none" || text === "" ? text : `${colours[urgency]}${text}\u001b[39m`;
}
