import { spawnSync } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { describeExit } from "../../scripts/servers/child.ts";
import { sleep } from "../../src/base/core/clock.ts";
import { randomInteger } from "../support/random.ts";
import { until as waitUntil } from "../support/until.ts";
import { type ProcessTrouble, processTroubles, troubles } from "./schedule.ts";

export interface DaemonTroublesOptions {
  readonly configFile: string;
  readonly stateDirectory: string;
  /** This process is in a separate mount namespace: the state directory can be a small tmpfs. */
  readonly canFillDisk: boolean;
  start(configFile: string): Promise<RunningDaemon>;
  /** Called after a kill. */
  onKilled(): void;
}

/** Runs the daemon under test: kills it, stops it, fills its disk, and restarts it. */
export class DaemonTroubles {
  kills = 0;
  #stops = 0;
  #fullDisks = 0;
  #running: RunningDaemon | undefined;
  readonly #options: DaemonTroublesOptions;

  constructor(options: DaemonTroublesOptions) {
    this.#options = options;
  }

  get daemon(): RunningDaemon {
    if (this.#running === undefined) throw new Error("telemetryd was not started");
    return this.#running;
  }

  describe(): string {
    return `${this.kills} kills, ${this.#stops} stops, ${this.#fullDisks} full disks`;
  }

  async start(): Promise<void> {
    const { stateDirectory, canFillDisk, configFile, start } = this.#options;
    if (canFillDisk && this.#running === undefined) {
      await mkdir(stateDirectory);
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m", "tmpfs", stateDirectory]);
      if (mounted.status !== 0) throw new Error(`mount: ${mounted.stderr.toString()}`);
    }
    this.#running = await start(configFile);
  }

  /** Kills it and unmounts the tmpfs. */
  async close(): Promise<void> {
    await this.#running?.child.kill();
    if (this.#options.canFillDisk) spawnSync("umount", [this.#options.stateDirectory]);
  }

  /**
   * Causes one trouble after another until the signal; the daemon runs when the promise resolves.
   * @returns the number of troubles
   */
  async run(random: () => number, until: AbortSignal): Promise<number> {
    const kinds = processTroubles.filter((kind) => kind !== "disk-full" || this.#options.canFillDisk);
    // Limits of a restart; a full disk takes three times as long.
    const limits = { pauseMs: [500, 9_000], lengthMs: [0, 1_000] } as const;
    for (const { kind, afterMs, forMs } of troubles(kinds, random, limits)) {
      await sleep(afterMs, until).catch(() => undefined);
      const exit = this.daemon.child.exit();
      if (exit !== undefined) throw new Error(`telemetryd ended by itself: ${describeExit(exit)}`);
      if (until.aborted) break;
      await this.#interrupt(kind, forMs, random);
    }
    return this.kills + this.#stops;
  }

  async #interrupt(kind: ProcessTrouble, forMs: number, random: () => number): Promise<void> {
    if (kind === "disk-full") {
      await this.#fillDisk(forMs + randomInteger(random, 1_000, 3_000));
      return;
    }
    if (kind === "kill") {
      this.kills++;
      await this.daemon.child.kill();
      this.#options.onKilled();
    } else {
      this.#stops++;
      const exit = await this.daemon.child.stop(20_000);
      if (exit.code !== 0) throw new Error(`telemetryd, after SIGTERM: ${describeExit(exit)}`);
    }
    await sleep(forMs, new AbortController().signal);
    await this.start();
  }

  /** Never combined with a kill: state that a full disk could not store is read again, without a bound. */
  async #fillDisk(forMs: number): Promise<void> {
    this.#fullDisks++;
    const filler = join(this.#options.stateDirectory, "filler");
    const file = await open(filler, "w");
    try {
      for (;;) await file.write(Buffer.alloc(4_096));
    } catch {
      // The disk is full.
    } finally {
      await file.close();
    }
    await waitUntil("telemetryd says that its disk is full", async () => (await this.#degraded()).length > 0);
    await sleep(forMs, new AbortController().signal);
    await rm(filler);
    await waitUntil(
      "telemetryd has its state on disk again",
      async () => (await this.#degraded()).length === 0,
    );
  }

  async #degraded(): Promise<readonly string[]> {
    return (await this.daemon.status(new AbortController().signal)).degraded;
  }
}
