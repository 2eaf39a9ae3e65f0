import { readFileSync } from "node:fs";
import { errnoCode } from "../../src/base/core/errors.ts";

/** Linux reports processor time to user space in hundredths of a second (proc(5), sysconf _SC_CLK_TCK). */
const tickMs = 10;

/** Resource usage of a process so far, as counted by the kernel. */
export interface ProcessUsage {
  /** User and system time of all its threads, ms. */
  readonly cpuMs: number;
  /** Peak resident memory (VmHWM), bytes. */
  readonly peakBytes: number;
  /** Current resident memory (VmRSS), bytes. */
  readonly residentBytes: number;
}

/** A process that has ended, but that its parent has not waited for, has no memory. @throws when it does not exist */
export function processUsage(pid: number): ProcessUsage {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The name in parentheses may contain spaces, so fields are counted after the last one; utime and stime are
  // fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    peakBytes: kibibytes(status, "VmHWM") * 1_024,
    residentBytes: kibibytes(status, "VmRSS") * 1_024,
  };
}

function kibibytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0);
}

/** Resource usage of a process's children together; what ended children used is not counted. */
export function childrenUsage(pid: number): ProcessUsage {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  const sum = { cpuMs: 0, peakBytes: 0, residentBytes: 0 };
  for (const child of children) {
    let usage: ProcessUsage;
    try {
      usage = processUsage(Number(child));
    } catch (error) {
      if (["ENOENT", "ESRCH"].includes(errnoCode(error) ?? "")) continue;
      throw error;
    }
    sum.cpuMs += usage.cpuMs;
    sum.peakBytes += usage.peakBytes;
    sum.residentBytes += usage.residentBytes;
  }
  return sum;
}
