import type { Clock } from "../../base/core/clock.ts";
import { createSharedLimit } from "../../base/core/shared-limit.ts";
import type { AccessDirectory, Caller, PlaneAccess } from "../access/directory.ts";
import { tooManyRequests } from "../api/status.ts";

export interface OpenWatchesOptions {
  readonly directory: Pick<AccessDirectory, "findPlane" | "revision">;
  readonly clock: Clock;
  /** What they are, for a refusal: `watches`. */
  readonly what: string;
  readonly limits: { readonly all: number; readonly perClient: number };
  /** Interval of checks whether each watch is still allowed; they are made at once after a change of access. */
  readonly checkMs: number;
}

/** All open watches of this process, or other long responses: limits their number, and ends those no longer allowed. */
export interface OpenWatches {
  /**
   * @param end called when the token has been revoked, the user has another role or is no longer a member,
   * the plane is gone, or the server stops
   * @returns a function to call when the watch is over
   * @throws StatusError 429
   */
  add(caller: Caller, access: PlaneAccess, end: () => void): () => void;
}

/** The watches of one token in one plane: one check covers them all. */
interface Group {
  readonly caller: Caller;
  readonly access: PlaneAccess;
  readonly ends: Set<() => void>;
}

const retryAfterSeconds = 10;
const revisionCheckMs = 2_000;

/** @param signal ends all watches */
export function createOpenWatches(options: OpenWatchesOptions, signal: AbortSignal): OpenWatches {
  const { directory, clock, what, limits, checkMs } = options;
  const open = createSharedLimit(limits);
  const groups = new Map<string, Group>();
  let timer: NodeJS.Timeout | undefined;
  let isChecking = false;
  let revision: string | undefined;
  let checkedMs = performance.now();

  const endAll = ({ ends }: Group): void => {
    for (const end of ends) end();
  };
  const check = async (): Promise<void> => {
    if (isChecking) return;
    isChecking = true;
    try {
      const latest = await directory.revision();
      if (latest === revision && performance.now() - checkedMs < checkMs) return;
      for (const group of [...groups.values()]) {
        const { plane, role } = group.access;
        const found = await directory.findPlane(plane.type, plane.name, group.caller, clock.nowMs());
        if (found?.plane.uid !== plane.uid || found.role !== role) endAll(group);
      }
      [revision, checkedMs] = [latest, performance.now()];
    } catch {
      // A store failure says nothing about the caller.
    } finally {
      isChecking = false;
    }
  };
  // One shared listener: per-watch listeners would accumulate on a signal that lives as long as the daemon.
  signal.addEventListener("abort", () => groups.forEach(endAll), { once: true });

  return {
    add(caller, access, end) {
      const bound = open.take(caller.tokenId);
      if (bound !== undefined) {
        const message = `Too many ${what}${bound === "all" ? "" : " for this token"}.`;
        throw tooManyRequests(retryAfterSeconds, message);
      }
      const key = `${access.plane.uid} ${access.role} ${caller.tokenId} ${caller.user}`;
      const group = groups.get(key) ?? { caller, access, ends: new Set() };
      groups.set(key, group);
      group.ends.add(end);
      timer ??= setInterval(() => void check(), Math.min(checkMs, revisionCheckMs));
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
