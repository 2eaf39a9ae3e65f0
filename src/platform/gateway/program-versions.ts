import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import type { HeldProgram } from "./held-program.ts";
import { fittingVersions, overShare } from "./memory-shares.ts";

/** Programs whose versions are decided before the event loop gets its turn. */
const settledAtOnce = 200;

interface ProgramVersionsOptions {
  /** Called with the newest version of a program of which another version is to be loaded, or none. */
  onVersion(newest: HeldProgram): void;
  /** Called when a version fits into its project's share and did not, or the reverse. */
  onExcess(newest: HeldProgram): void;
}

/** Decides which version of each program HAProxy may load. */
export class ProgramVersions {
  readonly #options: ProgramVersionsOptions;
  /** The newest versions of each project's programs, by its uid. */
  readonly #projects = new Map<string, Set<HeldProgram>>();
  /** Projects in which what fits, or what HAProxy accepts, has changed. */
  readonly #unsettled = new Set<string>();
  readonly #versions = new Set<HeldProgram>();
  readonly #versionOf = new Map<string, HeldProgram>();

  constructor(options: ProgramVersionsOptions) {
    this.#options = options;
  }

  /** See `HeldPrograms.versions`. */
  all(): ReadonlySet<HeldProgram> {
    for (const uid of this.#unsettled) this.#settleProject(uid);
    return this.#versions;
  }

  /** Does most of what {@link all} has to do, project by project. */
  async settle(): Promise<void> {
    let settled = 0;
    for (const uid of this.#unsettled) {
      settled += this.#settleProject(uid);
      if (settled < settledAtOnce) continue;
      settled = 0;
      await yieldToEventLoop();
    }
  }

  /** Has {@link all} decide again. */
  unsettle({ program }: HeldProgram): void {
    this.#unsettled.add(program.plane.uid);
  }

  /** Replaces the newest version of a program by a newer one; undefined: the program is gone. */
  replace(before: HeldProgram | undefined, held: HeldProgram | undefined): void {
    if (before !== undefined) {
      const { uid } = before.program.plane;
      const project = this.#projects.get(uid);
      project?.delete(before);
      if (project?.size === 0) this.#projects.delete(uid);
      this.unsettle(before);
      if (held === undefined) this.#setVersion(before, undefined);
    }
    if (held === undefined) return;
    const { uid } = held.program.plane;
    const project = this.#projects.get(uid) ?? new Set();
    this.#projects.set(uid, project.add(held));
    this.unsettle(held);
  }

  /** @returns how many programs the project has */
  #settleProject(uid: string): number {
    this.#unsettled.delete(uid);
    const project = this.#projects.get(uid) ?? new Set();
    for (const [held, fitting] of fittingVersions(project)) {
      const excess = held.fault === undefined && fitting !== held ? overShare : undefined;
      if (held.excess !== excess) {
        held.excess = excess;
        this.#options.onVersion(held);
        this.#options.onExcess(held);
      }
      this.#setVersion(held, fitting === held && held.isAccepted !== true ? held.earlier : fitting);
    }
    return project.size;
  }

  #setVersion(newest: HeldProgram, version: HeldProgram | undefined): void {
    const { gateway } = newest.program;
    const before = this.#versionOf.get(gateway);
    if (before === version) return;
    if (before !== undefined) this.#versions.delete(before);
    this.#versionOf.delete(gateway);
    this.#options.onVersion(newest);
    if (version === undefined) return;
    this.#versions.add(version);
    this.#versionOf.set(gateway, version);
  }
}
