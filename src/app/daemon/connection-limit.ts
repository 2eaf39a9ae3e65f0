import { readFileSync } from "node:fs";
import type { Logger } from "../../base/log/log.ts";

/** `delivery.maxConnections`, or less when the process may not open as many files. */
export function connectionLimit(configured: number, log: Logger): number {
  const limit = limitWithin(configured, openFileLimit(readLimits()));
  if (limit < configured) {
    log.warn(
      { configured, limit },
      "delivery.maxConnections is lowered to half of the files that this process may open; raise that limit (ulimit -n)",
    );
  }
  return limit;
}

/** Half of the open files: the store, files, control planes and Redis need some too. */
export function limitWithin(configured: number, openFiles: number): number {
  return Math.min(configured, Math.max(16, Math.floor(openFiles / 2)));
}

/** The soft limit, which Node.js raises to the hard one, from the text of /proc/self/limits. */
export function openFileLimit(limits: string): number {
  const soft = /^Max open files\s+(\d+)\s/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    // Not available outside Linux.
    return "";
  }
}
