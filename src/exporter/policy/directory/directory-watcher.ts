import { type FileHandle, open, readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Clock } from "../../../base/core/clock.ts";
import { describeError, errnoCode } from "../../../base/core/errors.ts";
import { type Fault, hasErrors, isError, printFault } from "../../../base/core/fault.ts";
import { runLoop, Wakeup } from "../../../base/core/loop.ts";
import type { Service } from "../../../base/core/service.ts";
import type { Logger } from "../../../base/log/log.ts";
import { directoryPlane } from "../plane.ts";
import { type CheckedManifest, checkManifest, maxManifestBytes } from "../spec/manifest.ts";
import type { PolicyStore } from "../store.ts";
import { compileDirectory, type Held, holdManifest } from "./directory-contents.ts";
import { DirectoryWatch } from "./directory-watch.ts";
import { hasEventsForAll } from "./event-coverage.ts";

/** A file is read once it has been unchanged for this long: an editor may still be writing it. */
const settleMs = 100;
/** A change is scanned after this long, which limits how often a directory under constant writes is. */
const breathMs = 20;
/**
 * Scan interval without events: network file systems send none. With `settleMs`, edits take effect in 2 s.
 */
const pollMs = 1_500;
/** Scan interval if every change has an event: scanning dominates an idle daemon's load (bench/idle.ts). */
const seldomPollMs = 15_000;
const maxFiles = 5_000;

interface FileState {
  /** Fingerprint at the last scan, and the time since when it has been the same (monotonic). */
  look: string;
  sinceMs: number;
  /** Fingerprint of the contents that were read. */
  taken: string | undefined;
  held: Held;
  /** The first error of the present contents that leaves out an object, or all of them. */
  error: Fault | undefined;
}

interface DirectorySourceSnapshot {
  readonly directory: string;
  readonly files: readonly {
    readonly path: string;
    readonly policies: number;
    readonly faults: readonly string[];
  }[];
  /** Reason the directory could not be read at the last scan. */
  readonly problem?: string | undefined;
}

/** Files that a problem names; the others are counted. */
const maxNamedFiles = 3;

/**
 * Keeps policies and Secrets in step with a directory: edits, atomic renames, Kubernetes' swapped symlinks,
 * new and deleted files take effect within 2 s.
 *
 * A file that is not a readable manifest keeps its previous contents; an unreadable directory keeps
 * everything.
 */
export class DirectoryWatcher implements Service {
  readonly name = "policy directory";
  readonly #directory: string;
  readonly #store: PolicyStore;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #wakeup = new Wakeup();
  readonly #watch: DirectoryWatch;
  readonly #files = new Map<string, FileState>();
  #hasEventsForAll = false;
  #contents = compileDirectory([], undefined);
  #problem: string | undefined;
  #reported = new Set<string>();
  #started = false;

  constructor(options: { directory: string; store: PolicyStore; clock: Clock; log: Logger }) {
    this.#directory = options.directory;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#watch = new DirectoryWatch(options.directory, options.clock, this.#wakeup.wake);
  }

  async run(signal: AbortSignal): Promise<void> {
    const tick = async (): Promise<number> => {
      // Watch before scanning, so that a change after the scan has an event.
      await this.#watch.begin();
      return this.look(signal);
    };
    // A failed scan neither ends the daemon nor removes policies.
    const onError = (error: unknown): void =>
      this.#log.error({ error: describeError(error) }, "looking at the policy directory failed");
    const options = { clock: this.#clock, pauseAfterErrorMs: pollMs, onError };
    try {
      await runLoop(tick, { ...options, wakeup: this.#wakeup, settleMs: breathMs }, signal);
    } finally {
      this.#watch.close();
    }
  }

  /**
   * Scans the directory once and puts the changes into the store.
   *
   * @returns ms until the next scan; shorter while a file is still being written
   */
  async look(signal: AbortSignal): Promise<number> {
    const paths = await this.#list();
    if (paths === undefined) return pollMs;
    const nowMs = this.#clock.monotonicMs();
    let isChanging = false;
    let unreadable = false;
    let changed = !this.#started;
    for (const path of new Set([...paths, ...this.#files.keys()])) {
      signal.throwIfAborted();
      const state = await this.#lookAt(path, nowMs);
      if (state === undefined || state.look === state.taken) continue;
      if (this.#started && nowMs - state.sinceMs < settleMs) {
        isChanging = true;
        continue;
      }
      const outcome = await this.#take(path, state);
      if (outcome === "taken") changed = true;
      if (outcome === "changing") isChanging = true;
      if (outcome === "same") unreadable = true;
    }
    this.#started = true;
    if (changed) {
      this.#publish();
      this.#hasEventsForAll = await hasEventsForAll(this.#directory, this.#files.keys());
    }
    if (isChanging) return settleMs;
    return this.#watch.isWatching && this.#hasEventsForAll && !unreadable ? seldomPollMs : pollMs;
  }

  snapshot(): DirectorySourceSnapshot {
    const files = [...this.#files].map(([path, { held }]) => ({
      path,
      policies: held.policies.length,
      faults: held.faults.map(printFault),
    }));
    return {
      directory: this.#directory,
      files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      problem: this.#problem,
    };
  }

  /**
   * One error of each file that cannot be read or parsed now, or of which an object is left out. The faults
   * of other policies are in their conditions.
   */
  fileErrors(): readonly Fault[] {
    const conflicts = new Map(this.#contents.conflicts.map((fault) => [fault.file, fault]));
    return [...this.#files.values()].flatMap(({ error, held }) => error ?? conflicts.get(held.path) ?? []);
  }

  /** Files with such an error; a directory that cannot be read counts as one. */
  errorCount(): number {
    return this.fileErrors().length + (this.#problem === undefined ? 0 : 1);
  }

  /** What is wrong with the directory and its files, one sentence each: without text of a file, which may be secret. */
  problems(): readonly string[] {
    const problems: string[] = [];
    if (this.#problem !== undefined) {
      problems.push(`the policy directory cannot be read, what it held stays in effect: ${this.#problem}`);
    }
    const errors = this.fileErrors();
    if (errors.length > 0) {
      const named = errors.slice(0, maxNamedFiles).map(placeOf);
      if (errors.length > named.length) named.push(`${errors.length - named.length} more`);
      const subject = errors.length === 1 ? "a policy file has" : `${errors.length} policy files have`;
      problems.push(`${subject} errors, which telemetryd validate shows: ${named.join(", ")}`);
    }
    return problems;
  }

  async #list(): Promise<string[] | undefined> {
    try {
      const names = (await readdir(this.#directory)).filter(isManifestName).toSorted();
      if (names.length > maxFiles) throw new Error(`it holds more than ${maxFiles} manifest files`);
      if (this.#problem !== undefined)
        this.#log.info({ directory: this.#directory }, "the policy directory can be read again");
      this.#problem = undefined;
      return names.map((name) => join(this.#directory, name));
    } catch (error) {
      const problem = describeError(error);
      if (problem !== this.#problem) {
        const details = { directory: this.#directory, error: problem };
        this.#log.error(details, "the policy directory cannot be read; what it held stays in force");
      }
      this.#problem = problem;
      return undefined;
    }
  }

  /** @returns undefined for a name that has never led to a file: a dangling symlink */
  async #lookAt(path: string, nowMs: number): Promise<FileState | undefined> {
    const look = await lookOf(path);
    let state = this.#files.get(path);
    if (state === undefined) {
      if (look === gone) return undefined;
      state = { look, sinceMs: nowMs, taken: undefined, held: { path, ...nothingHeld }, error: undefined };
      this.#files.set(path, state);
    }
    if (state.look !== look) {
      state.look = look;
      state.sinceMs = nowMs;
    }
    return state;
  }

  /**
   * Reads a file that has settled. "taken": its contents, or its faults, are new; "changing": it changed
   * during the read; "same": the read failed as before and will be retried.
   */
  async #take(path: string, state: FileState): Promise<"taken" | "changing" | "same"> {
    if (state.look === gone) {
      this.#files.delete(path);
      return "taken";
    }
    let text: string;
    try {
      text = await readManifestText(path);
    } catch (error) {
      const message = `cannot be read: ${describeError(error)}`;
      if (state.held.faults[0]?.message === message) return "same";
      this.#hold(state, [{ severity: "error", file: path, path: "", message }], undefined);
      return "taken";
    }
    if ((await lookOf(path)) !== state.look) return "changing";
    const manifest = checkManifest(text, path, {
      plane: directoryPlane,
      unknownFields: "warning",
      identity: { uid: "-", generation: 1 },
    });
    state.taken = state.look;
    this.#hold(state, manifest.faults, manifest.readable ? manifest : undefined);
    return "taken";
  }

  #hold(state: FileState, faults: readonly Fault[], manifest: CheckedManifest | undefined): void {
    const { path } = state.held;
    state.error = (manifest?.lost ?? faults).find(isError);
    state.held = { ...(manifest === undefined ? state.held : holdManifest(path, manifest)), faults };
    if (manifest !== undefined) return;
    const kept = state.held.policies.length + state.held.secrets.length;
    this.#log.error({ file: path, kept }, "a policy file is broken; what it held before stays in force");
  }

  #publish(): void {
    this.#contents = compileDirectory(
      [...this.#files.values()].map((state) => state.held),
      this.#contents,
    );
    const faults = this.#contents.faults;
    for (const fault of faults) {
      const text = printFault(fault);
      if (this.#reported.has(text)) continue;
      if (fault.severity === "error") this.#log.error(text);
      else this.#log.warn(text);
    }
    this.#reported = new Set(faults.map(printFault));
    const { policies, secrets } = this.#contents;
    this.#store.replacePlane(directoryPlane, { policies, secrets });
    const counts = { directory: this.#directory, policies: policies.length, secrets: secrets.length };
    this.#log.info({ ...counts, broken: hasErrors(faults) }, "policies read");
  }
}

/** `web.yaml line 3` */
function placeOf({ file, line }: Fault): string {
  return line === undefined ? basename(file) : `${basename(file)} line ${line}`;
}

const gone = "gone";
const nothingHeld = { policies: [], secrets: [], faults: [] };

/** Names with a leading dot are not manifests: Kubernetes mounts hold `..data` and dated folders. */
export function isManifestName(name: string): boolean {
  return /\.(ya?ml|json)$/.test(name) && !name.startsWith(".");
}

/** Fingerprint of a file: differs whenever the content may differ. Follows symlinks. */
async function lookOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch (error) {
    return errnoCode(error) === "ENOENT" ? gone : `unreadable: ${errnoCode(error)}`;
  }
}

/** @throws when it is no file, is larger than 1 MiB, or cannot be read */
export async function readManifestText(path: string): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const found = await file.stat();
    if (!found.isFile()) throw new Error("it is not a file");
    if (found.size > maxManifestBytes) throw new Error("it is larger than 1 MiB; split it");
    return await file.readFile("utf8");
  } finally {
    await file?.close();
  }
}
