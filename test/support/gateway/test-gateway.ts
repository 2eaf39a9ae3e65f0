import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import type { ProgramReport, StoredPrograms } from "../../../src/platform/routing/program-store.ts";
import { createProgramStore } from "../../../src/platform/routing/redis-program-store.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import type { TestPlatform } from "../plane/platform.ts";

/** What stands in for a running gateway: loads programs and reports, and forwards nothing. */
export class TestGateway {
  /** By uid of the Gateway. */
  readonly programs = new Map<string, RouteProgram>();
  readonly store: StoredPrograms;
  /** Loads nothing more, but still runs. */
  isHeld = false;
  /** What it reports on a program. */
  judge: (program: RouteProgram) => ProgramReport | undefined = () => undefined;
  readonly #redis: Redis;
  readonly #name = "test";
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #version = 0;

  constructor(platform: Pick<TestPlatform, "redis">) {
    this.#redis = new Redis(platform.redis.url);
    this.store = createProgramStore(this.#redis);
  }

  start(): void {
    this.#running = this.#run();
  }

  /** The program of a Gateway, by its hostname's namespace and name. */
  find(name: string): RouteProgram | undefined {
    return [...this.programs.values()].find((program) => program.name === name);
  }

  async cycle(): Promise<void> {
    if (!this.isHeld) {
      while (this.#version < (await this.store.version())) {
        const changes = await this.store.changesAfter(this.#version);
        if (changes === undefined) throw new Error("the store has lost versions");
        const { version, programs, removed } = changes;
        for (const program of programs) this.programs.set(program.gateway, program);
        for (const uid of removed) this.programs.delete(uid);
        this.#version = version;
      }
      const reports = [...this.programs].map(([uid, program]) => [uid, this.judge(program)] as const);
      await this.store.report(this.#name, new Map(reports));
    }
    await this.store.heartbeat(this.#name, this.#version);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    await this.store.leave(this.#name);
    this.#redis.disconnect();
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.cycle();
      await delay(30);
    }
  }
}
