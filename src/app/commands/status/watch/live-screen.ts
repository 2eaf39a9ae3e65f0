import type { ScreenSize } from "./screen-lines.ts";

/** The part of a terminal's output stream used here. */
export interface Terminal {
  readonly columns?: number;
  readonly rows?: number;
  hasColors?(): boolean;
  write(text: string): unknown;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

/** The part of `process` used here. */
export interface Job {
  readonly pid: number;
  on(event: "exit" | "SIGTSTP" | "SIGCONT", listener: () => void): unknown;
  off(event: "exit" | "SIGTSTP" | "SIGCONT", listener: () => void): unknown;
  kill(pid: number, signal: "SIGSTOP"): unknown;
}

// The alternate screen, without a cursor and without line wrap: characters may be wider than a column.
const enter = "\u001b[?1049h\u001b[?25l\u001b[?7l";
const leave = "\u001b[?7h\u001b[?25h\u001b[?1049l";
const home = "\u001b[H";
const clearLine = "\u001b[K";
const clearBelow = "\u001b[J";

export interface LiveScreen {
  size(): ScreenSize;
  /** Replaces what the screen shows, in a single write, so that nothing flickers. */
  draw(lines: readonly string[]): void;
  /** Restores the terminal. Idempotent. */
  close(): void;
}

/**
 * Takes over the terminal until `close`, or until the process exits. While it is suspended (Ctrl-Z), the
 * terminal is restored.
 *
 * @param redraw called when the size has changed, or the process resumes
 */
export function openLiveScreen(terminal: Terminal, job: Job, redraw: () => void): LiveScreen {
  let entered = false;
  const set = (wanted: boolean): void => {
    if (wanted !== entered) terminal.write(wanted ? enter : leave);
    entered = wanted;
  };
  const restore = () => set(false);
  const suspend = () => {
    restore();
    job.kill(job.pid, "SIGSTOP");
  };
  const resume = () => {
    set(true);
    redraw();
  };
  job.on("exit", restore);
  job.on("SIGTSTP", suspend);
  job.on("SIGCONT", resume);
  terminal.on("resize", redraw);
  set(true);
  // A terminal of unknown size says 0.
  const size = () => ({ columns: terminal.columns || 80, rows: terminal.rows || 24 });
  return {
    size,
    draw(lines) {
      if (!entered) return;
      const below = lines.length < size().rows ? `\r\n${clearBelow}` : "";
      // Cleared first: after a line of full width, the cursor is still on its last character.
      terminal.write(`${home}${lines.map((line) => clearLine + line).join("\r\n")}${below}`);
    },
    close() {
      restore();
      job.off("exit", restore);
      job.off("SIGTSTP", suspend);
      job.off("SIGCONT", resume);
      terminal.off("resize", redraw);
    },
  };
}
