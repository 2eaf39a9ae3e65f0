import type { Window } from "../../metrics-store/ports/window.ts";
import type { JournaledRequest, OpenWindow, SinkState } from "../state/sink-state.ts";
import type { StateRecord } from "../state/state-record.ts";

/**
 * Merges the states of a sink from the shared store and from a replica's own mirror. A checkpoint only moves
 * forward, so the newest one is right. A window is kept as long as no source of it has been seen beyond its
 * start. If both states contain the window, their journals are united. If two windows share a source and a
 * time, the shared store's is kept.
 *
 * @param reported the checkpoints in the policy's status, by source; used only where the sink is or was known
 * (a source that is new to a known sink has none yet)
 */
export function mergeStates(
  shared: SinkState,
  mirror: SinkState,
  reported: ReadonlyMap<string, number> = new Map(),
): SinkState {
  const checkpoints = new Map(shared.checkpoints);
  const raise = (source: string, ms: number): void => {
    checkpoints.set(source, Math.max(ms, checkpoints.get(source) ?? ms));
  };
  for (const [source, ms] of mirror.checkpoints) raise(source, ms);
  const isUnknown = checkpoints.size === 0;
  for (const [source, ms] of reported) if (isUnknown || checkpoints.has(source)) raise(source, ms);

  const windows: OpenWindow[] = [];
  const mirrored = new Map(mirror.windows.map((window) => [window.id, window]));
  const sharedIds = new Set(shared.windows.map(({ id }) => id));
  for (const window of [...shared.windows, ...mirror.windows.filter(({ id }) => !sharedIds.has(id))]) {
    const other = sharedIds.has(window.id) ? mirrored.get(window.id) : undefined;
    const sources = [...window.sources].filter(
      (source) =>
        !windows.some((other) => other.sources.has(source) && overlaps(other, window)) &&
        (other === undefined || other.sources.has(source)) &&
        (checkpoints.get(source) ?? window.fromMs) <= window.fromMs,
    );
    if (sources.length === 0) continue;
    const requests = other === undefined ? window.requests : mergeRequests(window.requests, other.requests);
    windows.push({ ...window, sources: new Set(sources), requests });
  }
  const notes = mergeNotes(shared.notes ?? new Map(), mirror.notes ?? new Map());
  const receiver = shared.receiver ?? mirror.receiver;
  return {
    checkpoints,
    windows: windows.sort((a, b) => a.fromMs - b.fromMs || a.id - b.id),
    ...(notes.size > 0 && { notes }),
    ...(receiver !== undefined && { receiver }),
  };
}

/**
 * Notes belong together: a failed check notes its own time, and an earlier one up to which was checked
 * before. Those of the state with the newest one replace the others, also where they are earlier.
 */
function mergeNotes(
  shared: ReadonlyMap<string, number>,
  mirror: ReadonlyMap<string, number>,
): Map<string, number> {
  const isMirrorNewer = Math.max(...mirror.values()) > Math.max(...shared.values());
  return isMirrorNewer ? new Map([...shared, ...mirror]) : new Map([...mirror, ...shared]);
}

function overlaps(one: Window, other: Window): boolean {
  return one.fromMs < other.toMs && other.fromMs < one.toMs;
}

/** A request acknowledged in one state is acknowledged; a request sent in one state may have arrived. */
function mergeRequests(
  one: ReadonlyMap<number, JournaledRequest>,
  other: ReadonlyMap<number, JournaledRequest>,
): Map<number, JournaledRequest> {
  const merged = new Map(one);
  for (const [number, request] of other) {
    if (merged.get(number)?.state !== "acknowledged") merged.set(number, request);
  }
  return new Map([...merged].sort(([a], [b]) => a - b));
}

/**
 * The records that turn `from` into `to`, where `to` was merged from it. A window with fewer sources is
 * opened again: closing a source would mean that everything up to the window's end was delivered for it.
 */
export function recordsBetween(sink: string, from: SinkState, to: SinkState): StateRecord[] {
  const records: StateRecord[] = [];
  const wanted = new Map(to.windows.map((window) => [window.id, window]));
  const kept = new Map<number, OpenWindow>();
  for (const window of from.windows) {
    if (wanted.get(window.id)?.sources.size === window.sources.size) kept.set(window.id, window);
    else records.push({ type: "drop", id: window.id });
  }
  for (const { id, fromMs, toMs, stepMs, sources, requests } of to.windows) {
    const before = kept.get(id);
    if (before === undefined) {
      records.push({ type: "open", sink, id, fromMs, toMs, stepMs, sources: [...sources] });
    }
    for (const { number, entries, state } of requests.values()) {
      const known = before?.requests.get(number);
      if (known === undefined) records.push({ type: "sent", id, number, entries });
      if (state === "acknowledged" && known?.state !== "acknowledged")
        records.push({ type: "acknowledged", id, number });
    }
  }
  for (const [source, ms] of to.checkpoints) {
    if (from.checkpoints.get(source) !== ms) records.push({ type: "checkpoint", sink, source, ms });
  }
  for (const [name, ms] of to.notes ?? []) {
    if (from.notes?.get(name) !== ms) records.push({ type: "checkpoint", sink, source: name, ms });
  }
  if (to.receiver !== undefined && to.receiver !== from.receiver) {
    records.push({ type: "receiver", sink, text: to.receiver });
  }
  return records;
}
