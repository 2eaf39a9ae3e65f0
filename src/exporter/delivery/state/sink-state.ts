import type { Window } from "../../metrics-store/ports/window.ts";
import type { RequestEntries } from "./request-entries.ts";

/**
 * A request whose entries the journal holds. `sent`: it was in flight when the journal was last written, so
 * the receiver may or may not have its samples. `acknowledged`: the receiver's response is final.
 */
export interface JournaledRequest {
  readonly number: number;
  readonly entries: RequestEntries;
  readonly state: "sent" | "acknowledged";
}

/**
 * The state of a deleted policy or source is kept this long: a policy restored in time (same uid) resumes.
 */
export const keepForgottenMs = 24 * 3_600_000;

/**
 * The properties of a window fixed at its opening: a changed configuration must not change a repeated
 * reading.
 */
export interface WindowBounds extends Window {
  /** The grid on which its expressions are evaluated. */
  readonly stepMs: number;
}

/**
 * A window that was opened and is not closed: its bounds, the sources still to be read to its end, and the
 * requests sent. A window that is run again has the same bounds and skips acknowledged samples.
 */
export interface OpenWindow extends WindowBounds {
  /** Unique among the open windows of its sink. */
  readonly id: number;
  readonly sink: string;
  readonly sources: ReadonlySet<string>;
  readonly requests: ReadonlyMap<number, JournaledRequest>;
}

/** State of a sink: the checkpoint of each of its sources (Unix ms), and its open windows, oldest first. */
export interface SinkState {
  readonly checkpoints: ReadonlyMap<string, number>;
  readonly windows: readonly OpenWindow[];
  /** Times (Unix ms) noted for all replicas, by name; absent if there are none. */
  readonly notes?: ReadonlyMap<string, number> | undefined;
  /** What was found out about the receiver, as text; absent if nothing was. */
  readonly receiver?: string | undefined;
}

/**
 * The port through which the exporter stores its state. Each promise resolves when the change survives the
 * end of this process (not necessarily of the machine). Implementations: a file log, memory, Redis; all run
 * one contract suite.
 *
 * `sink` is a key as `sinkKey()` makes it. Changes are visible in the SinkState of the next `load`.
 */
export interface StateStore {
  load(sink: string): Promise<SinkState>;
  setCheckpoint(sink: string, source: string, checkpointMs: number): Promise<void>;
  /** Keeps a time for the replica that runs the sink next. @param name contains a space, as no source's does */
  note(sink: string, name: string, ms: number): Promise<void>;
  /** @param text empty: nothing is known of the receiver any longer */
  setReceiver(sink: string, text: string): Promise<void>;
  openWindow(sink: string, window: WindowBounds, sources: readonly string[]): Promise<OpenWindow>;
  /** Call before a request's first attempt. @returns its number in the window */
  requestSent(window: OpenWindow, entries: RequestEntries): Promise<number>;
  /** The receiver has accepted the request or rejected it. */
  requestAcknowledged(window: OpenWindow, number: number): Promise<void>;
  /** The receiver has certainly stored nothing of the request. */
  requestReturned(window: OpenWindow, number: number): Promise<void>;
  /**
   * These sources are complete up to the window's end. Without a source left, the window and its journal are
   * deleted.
   */
  closeSources(window: OpenWindow, sources: readonly string[]): Promise<void>;
  /** Drops an open window without moving a checkpoint: its span is skipped (see `delivery.maxBackfill`). */
  dropWindow(window: OpenWindow): Promise<void>;
  /** Forgets a source's checkpoint: when it returns, it starts as a new one. */
  dropSource(sink: string, source: string): Promise<void>;
  /** The sinks in this store, so that those without a policy can be removed. */
  sinks(): Promise<readonly string[]>;
  forget(sink: string): Promise<void>;
}
