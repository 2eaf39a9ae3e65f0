import { setImmediate } from "node:timers/promises";
import type {
  ProgramChanges,
  ProgramReport,
  ProgramStore,
} from "../../../src/platform/routing/program-store.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";

const changesAtOnce = 200;

/** Programs of one process, for tests of a gateway without a control plane. */
export class MemoryPrograms implements ProgramStore {
  #version = 0;
  readonly #programs = new Map<string, RouteProgram>();
  readonly #changes = new Map<string, number>();
  readonly #loaded = new Map<string, number>();
  readonly reports = new Map<string, ProgramReport>();
  /** Earlier versions. */
  readonly kept = new Map<string, RouteProgram>();

  async put(program: RouteProgram): Promise<number> {
    const before = this.#programs.get(program.gateway);
    if (before !== undefined && !this.kept.has(program.gateway)) this.kept.set(program.gateway, before);
    this.#programs.set(program.gateway, program);
    this.#changes.set(program.gateway, ++this.#version);
    return this.#version;
  }

  async remove(gateway: string): Promise<number> {
    this.kept.delete(gateway);
    if (this.#programs.delete(gateway)) this.#changes.set(gateway, ++this.#version);
    return this.#changes.get(gateway) ?? 0;
  }

  async forget(): Promise<void> {}

  async state(_gateway: string, version: number) {
    const loaded = [...this.#loaded.values()];
    const isLoaded = loaded.length > 0 && loaded.every((each) => each >= version);
    return { running: loaded.length, isLoaded, reports: [...this.reports.values()] };
  }

  async version(): Promise<number> {
    return this.#version;
  }

  async *all(): AsyncIterable<readonly RouteProgram[]> {
    yield [...this.#programs.values()];
  }

  async *earlier(): AsyncIterable<readonly RouteProgram[]> {
    yield [...this.kept.values()];
  }

  async forgetEarlier(gateways: readonly string[], version: number): Promise<string[]> {
    const unchanged = gateways.filter((gateway) => (this.#changes.get(gateway) ?? 0) <= version);
    for (const gateway of unchanged) this.kept.delete(gateway);
    return unchanged;
  }

  async changesAfter(version: number): Promise<ProgramChanges> {
    // A response of Redis comes in a turn of its own.
    await setImmediate();
    // In the order of their versions, as the store in Redis has them, and not more at once.
    const changed = [...this.#changes].filter(([, at]) => at > version).sort(([, a], [, b]) => a - b);
    const some = changed.slice(0, changesAtOnce).map(([gateway]) => gateway);
    return {
      version: changed.length > changesAtOnce ? (changed[changesAtOnce - 1]?.[1] ?? 0) : this.#version,
      programs: some.flatMap((gateway) => this.#programs.get(gateway) ?? []),
      removed: some.filter((gateway) => !this.#programs.has(gateway)),
    };
  }

  async heartbeat(runner: string, version: number): Promise<void> {
    this.#loaded.set(runner, version);
  }

  async report(_runner: string, reports: ReadonlyMap<string, ProgramReport | undefined>): Promise<void> {
    for (const [gateway, report] of reports) {
      if (report === undefined) this.reports.delete(gateway);
      else this.reports.set(gateway, report);
    }
  }

  async forgetReports(): Promise<void> {
    this.reports.clear();
  }

  async leave(runner: string): Promise<void> {
    this.#loaded.delete(runner);
  }
}
