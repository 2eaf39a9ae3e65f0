import { execFile } from "node:child_process";
import { HaproxyError } from "./command-socket.ts";
import { installHint, startFault } from "./haproxy-program.ts";

/** Why a configuration is not accepted. */
export interface Complaint {
  /** Line of the file, from 1; absent where the message names none. */
  readonly line?: number;
  readonly message: string;
}

/** What HAProxy says of a configuration that it only checks. */
export type CheckOutcome =
  | { readonly kind: "accepted" }
  | { readonly kind: "refused"; readonly complaints: readonly Complaint[] }
  /** The check needs more processor time or memory than it may. */
  | { readonly kind: "exceeded" }
  /** The check has not ended in time, which is the machine's fault: it may be tried again. */
  | { readonly kind: "late" };

const checkLimits = { waitMs: 20_000, cpuSeconds: 2, memoryKib: 2 ** 20 };
const maxOutput = 16 * 2 ** 20;
/** Statuses of a shell that cannot run a program, and does not find it. */
const [cannotRun, notFound] = [126, 127];

/** @throws HaproxyError when HAProxy cannot be run, or the signal's reason */
export function checkConfiguration(binary: string, file: string, signal: AbortSignal): Promise<CheckOutcome> {
  const { waitMs, cpuSeconds, memoryKib } = checkLimits;
  // Not every system has a limit of memory.
  const limits = `ulimit -t ${cpuSeconds}; ulimit -v ${memoryKib} 2>/dev/null`;
  const args = ["-c", `${limits}; exec "$0" "$@"`, binary, "-c", "-f", file];
  const settings = { timeout: waitMs, killSignal: "SIGKILL", maxBuffer: maxOutput, signal } as const;
  return new Promise((resolve, reject) => {
    execFile("/bin/sh", args, settings, (error, _stdout, stderr) => {
      if (error === null) resolve({ kind: "accepted" });
      else if (signal.aborted) reject(signal.reason as Error);
      else if (error.code === notFound) reject(new HaproxyError(installHint));
      else if (error.code === cannotRun || typeof error.code === "string") reject(startFault(error, binary));
      else if (error.killed === true) resolve({ kind: "late" });
      else if (error.signal !== null || isOutOfMemory(stderr)) resolve({ kind: "exceeded" });
      else resolve({ kind: "refused", complaints: complaintsOf(stderr) });
    });
  });
}

/** Without memory, HAProxy's messages have `(null)` for texts that it could not make. */
function isOutOfMemory(output: string): boolean {
  return /out of memory|memory exhausted|cannot allocate memory|\(null\)/i.test(output);
}

/** The complaints in the output of `haproxy -c`. */
export function complaintsOf(output: string): Complaint[] {
  const complaints: Complaint[] = [];
  for (const [, text = ""] of output.matchAll(/^\[ALERT\]\s+\(\d+\) : (.*)$/gm)) {
    const place = /^config : parsing \[.*:(\d+)\] ?: (.*)$/.exec(text);
    if (place !== null) complaints.push({ line: Number(place[1]), message: place[2] ?? "" });
    else complaints.push({ message: text.replace(/^config : /, "") });
  }
  return complaints.length > 0 ? complaints : [{ message: output.trim().slice(-500) }];
}
