import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { readProcess } from "../servers/process-table.ts";

/** A process that a demo started, written down so that the next demo can end it should this one be killed. */
export interface NotedProcess {
  readonly name: string;
  readonly pid: number;
  /** With the pid, tells it from a later process that was given the same pid. */
  readonly startTicks: number;
}

/** The list of a demo's processes in a file, the demo's own process first. */
export interface ProcessNotes {
  add(name: string, pid: number): void;
  /** The demo has ended everything: there is nothing to clean. */
  remove(): void;
}

export function openNotes(file: string): ProcessNotes {
  const noted: NotedProcess[] = [];
  const add = (name: string, pid: number): void => {
    noted.push({ name, pid, startTicks: readProcess(pid)?.startTicks ?? 0 });
    writeFileSync(file, JSON.stringify(noted, null, 2));
  };
  mkdirSync(dirname(file), { recursive: true });
  add("demo", process.pid);
  return { add, remove: () => rmSync(file, { force: true }) };
}

/** What of an earlier demo still runs, by its notes; without notes, nothing. */
export function runningLeftovers(file: string): NotedProcess[] {
  let noted: unknown;
  try {
    noted = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return [];
  }
  return (Array.isArray(noted) ? noted : []).filter((entry: NotedProcess) => {
    const now = readProcess(entry.pid);
    return now !== undefined && !now.isZombie && now.startTicks === entry.startTicks;
  });
}

/** Ends the process groups of leftovers at once. */
export function endLeftovers(leftovers: readonly NotedProcess[]): void {
  for (const { pid } of leftovers) {
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}
