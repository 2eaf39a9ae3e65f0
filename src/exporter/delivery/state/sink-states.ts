import { type Checkpoints, isNote, moveCheckpoints } from "./checkpoints.ts";
import type { RequestEntries } from "./request-entries.ts";
import type { JournaledRequest, OpenWindow, SinkState, StateStore, WindowBounds } from "./sink-state.ts";
import { type StateRecord, stateVersion } from "./state-record.ts";

interface MutableWindow extends OpenWindow {
  readonly sources: Set<string>;
  readonly requests: Map<number, JournaledRequest>;
  lastNumber: number;
}

interface MutableSink {
  readonly checkpoints: Checkpoints;
  notes?: Map<string, number>;
  /** Absent between two windows: an empty Map for each sink would cost memory (bench/small-policies.ts). */
  windows: Map<number, MutableWindow> | undefined;
  receiver?: string;
}

/** Called after a record was applied, with the window it changed, in its last state if it has ended. */
type RecordWriter = (record: StateRecord, window: OpenWindow | undefined) => Promise<void>;

/**
 * The state of all sinks in memory: a pure function of the records applied so far. It is the store of a
 * one-off `telemetryd export`; the file store consists of this model and a log of the same records.
 */
export class SinkStates implements StateStore {
  readonly #sinks = new Map<string, MutableSink>();
  readonly #windows = new Map<number, MutableWindow>();
  readonly #write: RecordWriter;
  #lastWindowId: number;

  /**
   * @param write its promise is the promise of the change
   * @param lastWindowId ids of new windows are above this
   */
  constructor(write: RecordWriter = () => Promise.resolve(), lastWindowId = 0) {
    this.#write = write;
    this.#lastWindowId = lastWindowId;
  }

  load(sink: string): Promise<SinkState> {
    const state = this.#sinks.get(sink);
    if (state === undefined) return Promise.resolve({ checkpoints: new Map(), windows: [] });
    const windows = [...(state.windows?.values() ?? [])].sort((a, b) => a.fromMs - b.fromMs || a.id - b.id);
    const { checkpoints, notes, receiver } = state;
    return Promise.resolve({
      checkpoints,
      windows,
      ...(notes !== undefined && { notes }),
      ...(receiver !== undefined && { receiver }),
    });
  }

  setCheckpoint(sink: string, source: string, ms: number): Promise<void> {
    return this.record({ type: "checkpoint", sink, source, ms });
  }

  note(sink: string, name: string, ms: number): Promise<void> {
    return this.record({ type: "checkpoint", sink, source: name, ms });
  }

  setReceiver(sink: string, text: string): Promise<void> {
    return this.record({ type: "receiver", sink, text });
  }

  async openWindow(sink: string, window: WindowBounds, sources: readonly string[]): Promise<OpenWindow> {
    const id = this.#lastWindowId + 1;
    const { fromMs, toMs, stepMs } = window;
    await this.record({ type: "open", sink, id, fromMs, toMs, stepMs, sources });
    const opened = this.#windows.get(id);
    if (opened === undefined) throw new Error(`window ${id} of ${sink} was closed while it was opened`);
    return opened;
  }

  async requestSent(window: OpenWindow, entries: RequestEntries): Promise<number> {
    const number = (this.#windows.get(window.id)?.lastNumber ?? 0) + 1;
    await this.record({ type: "sent", id: window.id, number, entries });
    return number;
  }

  requestAcknowledged(window: OpenWindow, number: number): Promise<void> {
    return this.record({ type: "acknowledged", id: window.id, number });
  }

  requestReturned(window: OpenWindow, number: number): Promise<void> {
    return this.record({ type: "returned", id: window.id, number });
  }

  closeSources(window: OpenWindow, sources: readonly string[]): Promise<void> {
    return this.record({ type: "close", id: window.id, sources });
  }

  dropWindow(window: OpenWindow): Promise<void> {
    return this.record({ type: "drop", id: window.id });
  }

  dropSource(sink: string, source: string): Promise<void> {
    return this.record({ type: "dropSource", sink, source });
  }

  sinks(): Promise<readonly string[]> {
    return Promise.resolve([...this.#sinks.keys()]);
  }

  forget(sink: string): Promise<void> {
    return this.record({ type: "forget", sink });
  }

  /** Changes the state and writes the record. */
  record(record: StateRecord): Promise<void> {
    const window = "id" in record ? this.#windows.get(record.id) : undefined;
    this.apply(record);
    return this.#write(record, window);
  }

  /** Applies a record to the state. Records of windows that have ended change nothing. */
  apply(record: StateRecord): void {
    switch (record.type) {
      case "version":
        return;
      case "checkpoint": {
        const sink = this.#sink(record.sink);
        if (isNote(record.source)) {
          sink.notes ??= new Map();
          sink.notes.set(record.source, record.ms);
        } else moveCheckpoints(sink.checkpoints, [record.source], record.ms);
        return;
      }
      case "receiver": {
        const sink = this.#sink(record.sink);
        if (record.text === "") delete sink.receiver;
        else sink.receiver = record.text;
        return;
      }
      case "open": {
        const window: MutableWindow = {
          id: record.id,
          sink: record.sink,
          fromMs: record.fromMs,
          toMs: record.toMs,
          stepMs: record.stepMs,
          sources: new Set(record.sources),
          requests: new Map(),
          lastNumber: 0,
        };
        this.#lastWindowId = Math.max(this.#lastWindowId, record.id);
        this.#windows.set(record.id, window);
        const sink = this.#sink(record.sink);
        sink.windows ??= new Map();
        sink.windows.set(record.id, window);
        return;
      }
      case "sent": {
        const window = this.#windows.get(record.id);
        if (window === undefined) return;
        window.lastNumber = Math.max(window.lastNumber, record.number);
        window.requests.set(record.number, { number: record.number, entries: record.entries, state: "sent" });
        return;
      }
      case "acknowledged": {
        const window = this.#windows.get(record.id);
        const request = window?.requests.get(record.number);
        if (request !== undefined) window?.requests.set(record.number, { ...request, state: "acknowledged" });
        return;
      }
      case "returned":
        this.#windows.get(record.id)?.requests.delete(record.number);
        return;
      case "close": {
        const window = this.#windows.get(record.id);
        if (window === undefined) return;
        const closed = record.sources.filter((source) => window.sources.delete(source));
        moveCheckpoints(this.#sink(window.sink).checkpoints, closed, window.toMs);
        if (window.sources.size === 0) this.#remove(window);
        return;
      }
      case "drop": {
        const window = this.#windows.get(record.id);
        if (window !== undefined) this.#remove(window);
        return;
      }
      case "dropSource":
        this.#sinks.get(record.sink)?.checkpoints.delete(record.source);
        return;
      case "forget": {
        for (const id of this.#sinks.get(record.sink)?.windows?.keys() ?? []) this.#windows.delete(id);
        this.#sinks.delete(record.sink);
        return;
      }
    }
  }

  /** The shortest list of records that gives this state. */
  *records(): Generator<StateRecord> {
    yield { type: "version", version: stateVersion };
    for (const [sink, state] of this.#sinks) {
      for (const [source, ms] of [...state.checkpoints, ...(state.notes ?? [])])
        yield { type: "checkpoint", sink, source, ms };
      if (state.receiver !== undefined) yield { type: "receiver", sink, text: state.receiver };
      for (const window of state.windows?.values() ?? []) {
        const { id, fromMs, toMs, stepMs } = window;
        yield { type: "open", sink, id, fromMs, toMs, stepMs, sources: [...window.sources] };
        for (const { number, entries, state: requestState } of window.requests.values()) {
          yield { type: "sent", id, number, entries };
          if (requestState === "acknowledged") yield { type: "acknowledged", id, number };
        }
      }
    }
  }

  #sink(key: string): MutableSink {
    let sink = this.#sinks.get(key);
    if (sink === undefined) {
      sink = { checkpoints: new Map(), windows: undefined };
      this.#sinks.set(key, sink);
    }
    return sink;
  }

  #remove(window: MutableWindow): void {
    this.#windows.delete(window.id);
    const sink = this.#sinks.get(window.sink);
    sink?.windows?.delete(window.id);
    if (sink?.windows?.size === 0) sink.windows = undefined;
  }
}
