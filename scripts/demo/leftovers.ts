import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { allProcesses, readProcess } from "../servers/process-table.ts";

/** A process started by a demo, recorded so that the next demo can stop it if this one is killed. */
export interface NotedProcess {
  readonly name: string;
  readonly pid: number;
  /** Distinguishes the process from a later one with the same pid. */
  readonly startTicks: number;
}

/** A file with the demo's processes; the demo itself is first. */
export interface ProcessNotes {
  add(name: string, pid: number): void;
  /** Removes the file: the demo has stopped everything. */
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

/** Processes of an earlier demo that still run, by its notes; empty without notes. */
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

/** Kills the process groups of leftovers and of what they have started, such as telemetryd's HAProxy. */
export function endLeftovers(leftovers: readonly NotedProcess[]): void {
  const all = allProcesses();
  const pids = new Set(leftovers.map(({ pid }) => pid));
  // The loop also sees what it adds itself.
  for (const above of pids) {
    for (const { pid, parentPid } of all) if (parentPid === above) pids.add(pid);
  }
  const groups = new Set(all.filter(({ pid }) => pids.has(pid)).map(({ groupId }) => groupId));
  for (const group of groups) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // It has ended in the meantime.
    }
  }
}
