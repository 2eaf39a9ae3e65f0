import { isNote } from "../state/checkpoints.ts";
import type { OpenWindow, SinkState, WindowBounds } from "../state/sink-state.ts";
import type { StateRecord } from "../state/state-record.ts";
import { encodeEntry, requestsOf } from "./journal-entry.ts";
import { stateFields } from "./keys.ts";

/** Changes that a record makes to a sink's hash and journals in Redis. */
export interface StateChanges {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
  /** By window id; "gone" when the window has ended. */
  readonly journals: ReadonlyMap<number, readonly Buffer[] | "gone">;
}

const none: StateChanges = { set: new Map(), remove: [], journals: new Map() };

const windowField = (id: number): string => `${stateFields.windowPrefix}${id}`;
const checkpointField = (source: string): string => `${stateFields.checkpointPrefix}${source}`;

/**
 * @param window the window changed by the record, in its present state; if it has ended, in its last state
 */
export function changesOf(record: StateRecord, window: OpenWindow | undefined): StateChanges {
  switch (record.type) {
    case "checkpoint":
      return { ...none, set: new Map([[checkpointField(record.source), String(record.ms)]]) };
    case "receiver":
      if (record.text === "") return { ...none, remove: [stateFields.receiver] };
      return { ...none, set: new Map([[stateFields.receiver, record.text]]) };
    case "open":
      return { ...none, set: new Map([[windowField(record.id), windowValue(record)]]) };
    case "sent":
    case "acknowledged":
    case "returned":
      if (window === undefined) return none;
      return { ...none, journals: new Map([[record.id, [encodeEntry(record)]]]) };
    case "close": {
      if (window === undefined) return none;
      const set = new Map(record.sources.map((source) => [checkpointField(source), String(window.toMs)]));
      if (window.sources.size === 0) return gone(record.id, set);
      set.set(windowField(record.id), windowValue(window));
      return { ...none, set };
    }
    case "drop":
      return gone(record.id, new Map());
    case "dropSource":
      return { ...none, remove: [checkpointField(record.source)] };
    case "forget":
    case "version":
      return none;
  }
}

function gone(id: number, set: ReadonlyMap<string, string>): StateChanges {
  return { set, remove: [windowField(id)], journals: new Map([[id, "gone"]]) };
}

/** Content of a window's field. */
interface StoredWindow extends WindowBounds {
  readonly sources: readonly string[];
}

function windowValue({
  fromMs,
  toMs,
  stepMs,
  sources,
}: WindowBounds & { sources: Iterable<string> }): string {
  return JSON.stringify({ fromMs, toMs, stepMs, sources: [...sources] } satisfies StoredWindow);
}

/** Restores a state from a hash and the journals of its windows. Unknown fields are ignored. */
export function stateOf(
  sink: string,
  fields: ReadonlyMap<string, string>,
  journals: ReadonlyMap<number, readonly Buffer[]>,
): SinkState {
  const checkpoints = new Map<string, number>();
  const notes = new Map<string, number>();
  for (const [field, value] of fields) {
    if (!field.startsWith(stateFields.checkpointPrefix)) continue;
    const name = field.slice(stateFields.checkpointPrefix.length);
    (isNote(name) ? notes : checkpoints).set(name, Number(value));
  }
  const windows = windowIds(fields).map((id): OpenWindow => {
    const stored = JSON.parse(fields.get(windowField(id)) ?? "") as StoredWindow;
    return {
      ...stored,
      id,
      sink,
      sources: new Set(stored.sources),
      requests: requestsOf(journals.get(id) ?? []),
    };
  });
  const receiver = fields.get(stateFields.receiver);
  return {
    checkpoints,
    windows: windows.sort((a, b) => a.fromMs - b.fromMs || a.id - b.id),
    ...(notes.size > 0 && { notes }),
    ...(receiver !== undefined && { receiver }),
  };
}

/** The ids of the windows in a hash. */
export function windowIds(fields: ReadonlyMap<string, string>): number[] {
  return [...fields.keys()]
    .filter((field) => field.startsWith(stateFields.windowPrefix))
    .map((field) => Number(field.slice(stateFields.windowPrefix.length)));
}
