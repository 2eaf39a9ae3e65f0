import type { Window } from "../../metrics-store/ports/window.ts";
import { hasRequestsInDoubt, type PlannedWindow } from "../state/planned-window.ts";
import type { SinkState } from "../state/sink-state.ts";
import { nextWindow } from "./next-window.ts";
import type { Watermark } from "./watermarks.ts";

/**
 * Whether a window has to wait for a source that could not be read: an in-doubt request can be rebuilt only
 * once all of its sources have been read.
 */
export function waitsFor({ open }: PlannedWindow, failed: ReadonlySet<string>): boolean {
  return (
    open !== undefined && hasRequestsInDoubt(open) && [...open.sources].some((source) => failed.has(source))
  );
}

/**
 * The windows that a sink has to read next: its open windows, oldest first, then one window for each group of
 * sources with equal checkpoints and watermarks. A source of an open window is in no other group, unless its
 * checkpoint is before the window's start: then the time between comes first. A lagging source catches up
 * alone.
 *
 * @param sources the sink's current sources; open windows of other sources are not run
 * @param state every source has a checkpoint
 */
export function plannedWindows(
  sources: readonly Watermark[],
  state: SinkState,
  maxWindowMs: number,
): PlannedWindow[] {
  const groups: PlannedWindow[] = [];
  const taken = new Set<string>();
  /** The start of the open window that a source with time before it waits for. */
  const untilMs = new Map<string, number>();
  for (const open of state.windows) {
    const members: string[] = [];
    for (const { name } of sources) {
      if (!open.sources.has(name) || taken.has(name) || untilMs.has(name)) continue;
      const checkpointMs = state.checkpoints.get(name) ?? open.fromMs;
      if (checkpointMs < open.fromMs) untilMs.set(name, open.fromMs);
      else members.push(name);
    }
    if (members.length === 0) continue;
    for (const source of members) taken.add(source);
    groups.push({ fromMs: open.fromMs, toMs: open.toMs, sources: members, open });
  }
  const fresh = new Map<string, Window & { readonly sources: string[] }>();
  for (const { name, watermarkMs, gridMs } of sources) {
    const checkpointMs = state.checkpoints.get(name);
    if (checkpointMs === undefined || taken.has(name)) continue;
    const endMs = Math.min(watermarkMs, untilMs.get(name) ?? watermarkMs);
    // The time before an open window ends where that begins, on the grid or not.
    const ownGridMs = endMs < watermarkMs ? 1 : gridMs;
    const window = nextWindow(checkpointMs, endMs, { delayMs: 0, maxWindowMs, gridMs: ownGridMs });
    if (window === undefined) continue;
    const key = `${window.fromMs} ${window.toMs}`;
    const present = fresh.get(key);
    if (present === undefined) fresh.set(key, { ...window, sources: [name] });
    else present.sources.push(name);
  }
  const inOrder = [...fresh.values()].sort((a, b) => a.fromMs - b.fromMs);
  return [...groups, ...inOrder.map((window) => ({ ...window, open: undefined }))];
}

/** The state after a window is closed for the sources of its group. */
export function withClosed({ checkpoints, windows }: SinkState, closed: PlannedWindow): SinkState {
  const { fromMs, toMs, sources } = closed;
  const left = windows.flatMap((window) => {
    if (window.fromMs !== fromMs || window.toMs !== toMs) return [window];
    const others = [...window.sources].filter((source) => !sources.includes(source));
    return others.length === 0 ? [] : [{ ...window, sources: new Set(others) }];
  });
  return {
    checkpoints: new Map([...checkpoints, ...sources.map((source) => [source, toMs] as const)]),
    windows: left,
  };
}
