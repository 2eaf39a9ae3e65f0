import { createSharedLimit } from "../../base/core/shared-limit.ts";
import type { AccessDirectory, Caller } from "../access/directory.ts";
import type { Plane } from "../api/plane.ts";
import { tooManyRequests } from "../api/status.ts";
import type { ServerLimits } from "./limits.ts";

export interface OpenWatchesOptions {
  readonly directory: Pick<AccessDirectory, "findPlane">;
  readonly limits: Pick<ServerLimits, "watches" | "watchesPerToken">;
  /** Interval of checks whether each watch is still allowed. */
  readonly checkMs: number;
}

/** All open watches of this process: limits their number, and ends those no longer allowed. */
export interface OpenWatches {
  /**
   * @param end called when the token has been revoked, the user is no longer a member, the plane is gone, or
   * the server stops
   * @returns a function to call when the watch is over
   * @throws StatusError 429
   */
  add(caller: Caller, plane: Plane, end: () => void): () => void;
}

/** The watches of one token in one plane: one check covers them all. */
interface Group {
  readonly caller: Caller;
  readonly plane: Plane;
  readonly ends: Set<() => void>;
}

const retryAfterSeconds = 10;

/** @param signal ends all watches */
export function createOpenWatches(options: OpenWatchesOptions, signal: AbortSignal): OpenWatches {
  const { directory, limits, checkMs } = options;
  const open = createSharedLimit({ all: limits.watches, perClient: limits.watchesPerToken });
  const groups = new Map<string, Group>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;

  const endAll = ({ ends }: Group): void => {
    for (const end of ends) end();
  };
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    try {
      for (const group of [...groups.values()]) {
        const { caller, plane } = group;
        const found = await directory.findPlane(plane.type, plane.name, caller);
        if (found?.plane.uid !== plane.uid) endAll(group);
      }
    } catch {
      // A store failure says nothing about the caller.
    } finally {
      isChecking = false;
    }
  };
  // One shared listener: per-watch listeners would accumulate on a signal that lives as long as the daemon.
  signal.addEventListener("abort", () => groups.forEach(endAll), { once: true });

  return {
    add(caller, plane, end) {
      const bound = open.take(caller.tokenId);
      if (bound !== undefined) {
        const message = bound === "all" ? "Too many watches." : "Too many watches for this token.";
        throw tooManyRequests(retryAfterSeconds, message);
      }
      const key = `${plane.uid} ${caller.tokenId} ${caller.user}`;
      const group = groups.get(key) ?? { caller, plane, ends: new Set() };
      groups.set(key, group);
      group.ends.add(end);
      timer ??= setInterval(() => void check(), checkMs);
      return () => {
        if (!group.ends.delete(end)) return;
        open.release(caller.tokenId);
        if (group.ends.size === 0) groups.delete(key);
        if (groups.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}
