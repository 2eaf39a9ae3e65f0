import type { Window } from "../../metrics-store/window.ts";
import type { RequestEntries } from "./request-entries.ts";

/**
 * A request whose entries the journal holds. `sent`: it was on its way when the journal was last written, so its
 * samples may or may not be at the receiver. `settled`: the receiver has responded for good.
 */
export interface JournaledRequest {
  readonly number: number;
  readonly entries: RequestEntries;
  readonly state: "sent" | "settled";
}

/** What is known of a deleted policy or source stays this long: restored in time (a policy with the same uid), it resumes. */
export const keepForgottenMs = 24 * 3_600_000;

/** What is fixed of a window when it opens: a changed configuration must not change what a repeated reading of it gives. */
export interface WindowBounds extends Window {
  /** The grid on which expressions are evaluated in it. */
  readonly stepMs: number;
}

/**
 * A window that was opened and is not closed: its bounds, the sources that still have to be read to its end, and what
 * has been sent of it. A window that is run again has the same bounds and skips what is settled.
 */
export interface OpenWindow extends WindowBounds {
  /** Unique among the open windows of its sink. */
  readonly id: number;
  readonly sink: string;
  readonly sources: ReadonlySet<string>;
  readonly requests: ReadonlyMap<number, JournaledRequest>;
}

/** What is known of a sink: the checkpoint of each of its sources (Unix ms), and its open windows, oldest first. */
export interface SinkState {
  readonly checkpoints: ReadonlyMap<string, number>;
  readonly windows: readonly OpenWindow[];
}

/**
 * The port through which the exporter remembers. Each promise resolves when the change survives the end of this
 * process (not necessarily of the machine). Implementations: a file log, memory, Redis; one contract suite runs on each.
 *
 * `sink` is a key as `sinkKey()` makes it. Changes show in the SinkState of the next `load`.
 */
export interface StateStore {
  load(sink: string): Promise<SinkState>;
  setCheckpoint(sink: string, source: string, checkpointMs: number): Promise<void>;
  openWindow(sink: string, window: WindowBounds, sources: readonly string[]): Promise<OpenWindow>;
  /** Before a request's first attempt. @returns its number in the window */
  requestSent(window: OpenWindow, entries: RequestEntries): Promise<number>;
  /** The receiver has it, or has refused it for good. */
  requestSettled(window: OpenWindow, number: number): Promise<void>;
  /** It is certain that the receiver has stored nothing of it. */
  requestReturned(window: OpenWindow, number: number): Promise<void>;
  /** These sources have everything up to the window's end; without a source left, the window and its journal are gone. */
  closeSources(window: OpenWindow, sources: readonly string[]): Promise<void>;
  /** Drops an open window without moving a checkpoint: its span is given up (see `delivery.maxBackfill`). */
  dropWindow(window: OpenWindow): Promise<void>;
  /** The sinks that this store knows, for clearing away those that no policy has any more. */
  sinks(): Promise<readonly string[]>;
  forget(sink: string): Promise<void>;
}
