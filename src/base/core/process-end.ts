import { readFile } from "node:fs/promises";
import type { Clock } from "./clock.ts";
import { errnoCode } from "./errors.ts";

/** Sends a signal to a process; 0 only looks. @returns whether the process exists (and received the signal) */
export function signalProcess(pid: number | undefined, name: NodeJS.Signals | 0): boolean {
  // 0 would address our own process group.
  if (pid === undefined || pid <= 0 || Number.isNaN(pid)) return false;
  try {
    return process.kill(pid, name);
  } catch (error) {
    return errnoCode(error) === "EPERM";
  }
}

/** Resolves when a process that is not our child has ended. Polls: there is no exit event for it. */
export async function untilGone(pid: number, clock: Clock): Promise<string> {
  while (signalProcess(pid, 0) && !(await isZombie(pid))) {
    await clock.sleep(100, new AbortController().signal);
  }
  return "it is gone";
}

/** Whether a process has ended, and nobody has asked how: in a container, often nobody ever does. */
async function isZombie(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return text.slice(text.lastIndexOf(")") + 1).startsWith(" Z");
}
