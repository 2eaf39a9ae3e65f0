import type { RouteProgram } from "./route-program.ts";

/** The state of a program in a running gateway. Absent where all is well and nothing had to be resolved. */
export interface ProgramReport {
  /** Why the gateway does not load the program; an earlier one is served, or requests get 503. */
  readonly refused?: string;
  /** Of the condition that says so; absent: `Invalid`. */
  readonly reason?: "NoResources";
  /** What the program still waits for, although programs of its version and later ones are loaded. */
  readonly pending?: string;
  /** Backends that requests are not forwarded to, with the reason: by host, or by URL if it is about HTTPS. */
  readonly blocked?: Readonly<Record<string, string>>;
  /** Addresses that names were resolved to. */
  readonly resolved?: Readonly<Record<string, string>>;
}

/** The state of one program in the running gateways. */
export interface ProgramState {
  /** Gateways that run now: those that reported within the last 10 s. */
  readonly running: number;
  /** Whether all of these have loaded the version, or have dropped the program. */
  readonly isLoaded: boolean;
  /** Of those that run. */
  readonly reports: readonly ProgramReport[];
}

export interface ProgramChanges {
  /** Version after these changes. */
  readonly version: number;
  readonly programs: readonly RouteProgram[];
  /** uids of Gateways whose program is gone. */
  readonly removed: readonly string[];
}

/**
 * The programs of all gateways, kept in Redis: controllers write them, every running gateway loads them and
 * says how far it is. Versions grow over all programs.
 */
export interface ProgramStore {
  /**
   * Stores a program. The one that it replaces is kept as its earlier version, until a gateway has loaded
   * what came after it. @returns its version: the one that it has if it is unchanged
   */
  put(program: RouteProgram): Promise<number>;
  /** Removes a program, and its earlier version. @returns the version, the same each time; 0 if there is none */
  remove(gateway: string): Promise<number>;
  /** Forgets the removal of a program, once all gateways have dropped it. */
  forget(gateway: string): Promise<void>;
  state(gateway: string, version: number): Promise<ProgramState>;

  /** The newest version. */
  version(): Promise<number>;
  /** All programs, in parts. */
  all(): AsyncIterable<readonly RouteProgram[]>;
  /**
   * At most some hundred changes; the version says how far they reach. Undefined if the store does not know
   * the version: it has lost it, and perhaps others, or it is very old.
   */
  changesAfter(version: number): Promise<ProgramChanges | undefined>;
  /** The earlier versions that are kept, one of a program at most, in parts. */
  earlier(): AsyncIterable<readonly RouteProgram[]>;
  /** Forgets the earlier versions of programs that have not changed after a version. @returns their gateways */
  forgetEarlier(gateways: readonly string[], version: number): Promise<string[]>;
  /**
   * Says that a gateway runs and has loaded everything up to a version, or refuses it. Its reports on these
   * programs come first: what is loaded and not reported on is well.
   */
  heartbeat(runner: string, version: number): Promise<void>;
  /** Stores what has changed of a gateway's reports; undefined: nothing is left to report. */
  report(runner: string, reports: ReadonlyMap<string, ProgramReport | undefined>): Promise<void>;
  /** Drops all reports of a gateway: it begins again. */
  forgetReports(runner: string): Promise<void>;
  /** The gateway runs no longer. */
  leave(runner: string): Promise<void>;
}

/** The store as controllers need it besides. */
export interface StoredPrograms extends ProgramStore {
  /** @returns the version of a program; undefined unless the gateway has exactly this one */
  versionOf(program: RouteProgram): Promise<number | undefined>;
  /** How many gateways run now. */
  running(): Promise<number>;
}
