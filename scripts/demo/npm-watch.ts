import { setTimeout as delay } from "node:timers/promises";
import { type ProcessEntry, readProcess } from "../servers/process-table.ts";

const lookMs = 500;

/**
 * npm and the shell that runs the npm script, if this process is such a script; otherwise empty. npm forwards
 * a signal only to its shell, which may end without the script.
 *
 * @param environment npm sets `npm_lifecycle_event` in it
 */
export function npmAncestors(
  environment: Readonly<Record<string, string | undefined>>,
  parentPid = process.ppid,
  find: (pid: number) => ProcessEntry | undefined = readProcess,
): readonly ProcessEntry[] {
  if (environment["npm_lifecycle_event"] === undefined) return [];
  const parent = find(parentPid);
  if (parent === undefined) return [];
  const above = isNpm(parent) ? undefined : find(parent.parentPid);
  return above !== undefined && isNpm(above) ? [parent, above] : [parent];
}

/** npm's process title is `npm run demo`; at first it is `node …/npm run demo`. */
function isNpm({ command }: ProcessEntry): boolean {
  return /(?:^|[/ ])npm(?:-cli\.js)?(?: |$)/.test(command);
}

/** Resolves when one of the processes has ended. @throws the signal's reason */
export async function anyEnds(processes: readonly ProcessEntry[], signal: AbortSignal): Promise<void> {
  const runs = ({ pid, startTicks }: ProcessEntry): boolean => {
    const now = readProcess(pid);
    return now !== undefined && !now.isZombie && now.startTicks === startTicks;
  };
  while (processes.every(runs)) await delay(lookMs, undefined, { signal });
}
