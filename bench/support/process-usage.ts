import { readFileSync } from "node:fs";

/** Linux counts processor time in hundredths of a second for every program that asks (proc(5), sysconf _SC_CLK_TCK). */
const tickMs = 10;

/** What a process has used of the machine so far, as the kernel counts it. */
export interface ProcessUsage {
  /** User and system time of all its threads, ms. */
  readonly cpuMs: number;
  /** Most memory that was ever resident (VmHWM), bytes. */
  readonly peakBytes: number;
  /** Memory that is resident now (VmRSS), bytes. */
  readonly residentBytes: number;
}

/** @throws when there is no such process */
export function processUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may hold spaces: fields are counted from behind it; utime and stime are numbers 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    peakBytes: kibibytes(status, "VmHWM") * 1_024,
    residentBytes: kibibytes(status, "VmRSS") * 1_024,
  };
}

function kibibytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]);
}
