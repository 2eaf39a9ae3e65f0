import type { Clock } from "../../base/core/clock.ts";
import type { ProgramStore } from "../routing/program-store.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import type { HeldPrograms } from "./held-programs.ts";

export interface PresenceOptions {
  readonly store: Pick<ProgramStore, "heartbeat" | "report" | "forgetReports" | "forgetEarlier">;
  readonly programs: HeldPrograms;
  /** Identity of this gateway among those of other daemons. */
  readonly runner: string;
  /** Called with the programs that are loaded since, or whose state has changed. */
  readonly onChange: (programs: readonly RouteProgram[]) => Promise<void>;
  readonly clock: Clock;
}

/** After this long without a heartbeat, others take this gateway for gone, and forget what was removed. */
const forgottenAfterMs = 8_000;

/**
 * What this gateway reports to the controllers. What is loaded and not reported on is well: no heartbeat is
 * sent before all reports on what it says to be loaded are stored.
 */
export class Presence {
  readonly #options: PresenceOptions;
  #loadedVersion = 0;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #returns = 0;
  /** Still to be reported to the controllers. */
  readonly #toWake = new Map<string, RouteProgram>();
  #last: Promise<void> = Promise.resolve();

  constructor(options: PresenceOptions) {
    this.#options = options;
  }

  /** How often this gateway reported after a silence, during which it may have missed removals. */
  get returns(): number {
    return this.#returns;
  }

  get loadedVersion(): number {
    return this.#loadedVersion;
  }

  /** Everything up to a version is loaded. The next heartbeat says so. */
  loaded(version: number, changed: Iterable<RouteProgram>): void {
    this.#loadedVersion = version;
    for (const program of changed) this.#toWake.set(program.gateway, program);
  }

  /** Stores what has changed of the reports. */
  report(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#storeReports();
      await this.#wake();
    });
  }

  /** Says that the gateway runs. After a silence, it is reported to all controllers, since they took it for gone. */
  announce(): Promise<void> {
    return this.#inTurn(async () => {
      const { store, runner, programs, clock } = this.#options;
      // A load that ends meanwhile is for the next heartbeat: its reports may not be stored yet.
      const version = this.#loadedVersion;
      const isReturn = clock.monotonicMs() - this.#heardAtMs > forgottenAfterMs;
      if (isReturn) {
        // They may be lost, or about programs that are gone.
        await store.forgetReports(runner);
        programs.reports.forgetStored();
      }
      await this.#storeReports();
      await store.heartbeat(runner, version);
      await this.#forgetEarlier(version);
      this.#heardAtMs = clock.monotonicMs();
      if (isReturn) {
        this.#returns++;
        for (const { program } of programs.all()) this.#toWake.set(program.gateway, program);
      }
      await this.#wake();
    });
  }

  async #forgetEarlier(version: number): Promise<void> {
    const { store, programs } = this.#options;
    const edited = new Map(programs.edited().map((held) => [held.program.gateway, held]));
    if (edited.size === 0) return;
    const forgotten = await store.forgetEarlier([...edited.keys()], version);
    programs.noteForgotten(forgotten.flatMap((gateway) => edited.get(gateway) ?? []));
  }

  async #storeReports(): Promise<void> {
    const { store, runner, programs } = this.#options;
    const reports = programs.reports.take();
    if (reports.size === 0) return;
    try {
      await store.report(runner, reports);
    } catch (error) {
      programs.reports.giveBack(reports);
      throw error;
    }
    programs.reports.stored(reports);
    for (const gateway of reports.keys()) {
      const program = programs.program(gateway);
      if (program !== undefined) this.#toWake.set(gateway, program);
    }
  }

  async #wake(): Promise<void> {
    const concerned = [...this.#toWake.values()];
    if (concerned.length === 0) return;
    await this.#options.onChange(concerned);
    for (const program of concerned) {
      if (this.#toWake.get(program.gateway) === program) this.#toWake.delete(program.gateway);
    }
  }

  /** Two at once could store an older report over a newer one. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
