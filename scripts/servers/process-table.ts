import { readdirSync, readFileSync } from "node:fs";

/** A process as shown by Linux' /proc. */
export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** It has ended but has not been reaped. */
  readonly isZombie: boolean;
  /**
   * Clock ticks from boot to the start of the process; distinguishes it from a later one with the same id.
   */
  readonly startTicks: number;
  /** Its arguments joined by spaces, or its name when it has none. */
  readonly command: string;
}

/** The process with that id; undefined when it does not exist (or without /proc). */
export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
    return parseStat(stat, command);
  } catch {
    return undefined;
  }
}

/**
 * Parses a line of `/proc/PID/stat` (proc(5)). The name in parentheses may contain spaces and parentheses.
 */
export function parseStat(stat: string, command: string): ProcessEntry | undefined {
  const open = stat.indexOf("(");
  const close = stat.lastIndexOf(")");
  if (open < 0 || close < open) return undefined;
  const fields = stat.slice(close + 2).split(" ");
  const [state, parentPid, groupId] = fields;
  return {
    pid: Number(stat.slice(0, open)),
    parentPid: Number(parentPid),
    groupId: Number(groupId),
    isZombie: state === "Z",
    startTicks: Number(fields[19]),
    command: command || stat.slice(open + 1, close),
  };
}

/** Every process of this machine (of this PID namespace). */
export function allProcesses(): ProcessEntry[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => readProcess(Number(pid)) ?? []);
}

export function isRunning(pid: number): boolean {
  const entry = readProcess(pid);
  return entry !== undefined && !entry.isZombie;
}
