import type { ProgramReport } from "../routing/program-store.ts";
import type { HeldProgram } from "./held-program.ts";
import { reportOf } from "./program-report.ts";

/** What of the programs has yet to be reported to the store. */
export class ProgramReports {
  readonly #held: ReadonlyMap<string, HeldProgram>;
  readonly #due = new Set<string>();

  /** @param held the newest versions, by gateway */
  constructor(held: ReadonlyMap<string, HeldProgram>) {
    this.#held = held;
  }

  /** The report of a program may have changed. */
  note(gateway: string): void {
    this.#due.add(gateway);
  }

  /** Reports that differ from the stored ones. Each goes to {@link stored} or {@link giveBack}. */
  take(): Map<string, ProgramReport | undefined> {
    const reports = new Map<string, ProgramReport | undefined>();
    for (const gateway of this.#due) {
      const held = this.#held.get(gateway);
      const report = held && reportOf(held);
      if (held === undefined || JSON.stringify(report) !== held.reported) reports.set(gateway, report);
    }
    this.#due.clear();
    return reports;
  }

  stored(reports: ReadonlyMap<string, ProgramReport | undefined>): void {
    for (const [gateway, report] of reports) {
      const held = this.#held.get(gateway);
      if (held !== undefined) held.reported = JSON.stringify(report);
    }
  }

  /** They could not be stored. */
  giveBack(reports: ReadonlyMap<string, unknown>): void {
    for (const gateway of reports.keys()) this.#due.add(gateway);
  }

  /** Nothing is stored of the reports: all of them are due. */
  forgetStored(): void {
    for (const [gateway, held] of this.#held) {
      held.reported = undefined;
      this.#due.add(gateway);
    }
  }
}
