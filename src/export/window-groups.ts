import { nextWindow, type Window, type WindowLimits } from "../source/window.ts";
import type { OpenWindow, SinkState } from "./sink-state.ts";

/** A window to run, with the sources that share it. `open` when it was begun before: its bounds are fixed. */
export interface WindowGroup extends Window {
  readonly sources: readonly string[];
  readonly open: OpenWindow | undefined;
}

/**
 * What a sink has to read next: its open windows first (oldest first), then one window for each group of sources whose
 * checkpoints are equal. A source of an open window is in no other group; one that lags catches up alone.
 *
 * @param sources the sink's sources now; what is open for others is not run
 * @param state every source has a checkpoint
 */
export function windowGroups(
  sources: readonly string[],
  state: SinkState,
  nowMs: number,
  limits: WindowLimits,
): WindowGroup[] {
  const groups: WindowGroup[] = [];
  const taken = new Set<string>();
  for (const open of state.windows) {
    const members = sources.filter((source) => open.sources.has(source) && !taken.has(source));
    if (members.length === 0) continue;
    for (const source of members) taken.add(source);
    groups.push({ fromMs: open.fromMs, toMs: open.toMs, sources: members, open });
  }
  const byCheckpoint = new Map<number, string[]>();
  for (const source of sources) {
    const checkpointMs = state.checkpoints.get(source);
    if (checkpointMs === undefined || taken.has(source)) continue;
    const members = byCheckpoint.get(checkpointMs);
    if (members === undefined) byCheckpoint.set(checkpointMs, [source]);
    else members.push(source);
  }
  for (const [checkpointMs, members] of [...byCheckpoint].sort(([a], [b]) => a - b)) {
    const window = nextWindow(checkpointMs, nowMs, limits);
    if (window !== undefined) groups.push({ ...window, sources: members, open: undefined });
  }
  return groups;
}
