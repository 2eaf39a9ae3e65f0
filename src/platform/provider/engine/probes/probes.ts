import { type BackoffPolicy, nextDelay } from "../../../../base/core/backoff.ts";
import type { Clock } from "../../../../base/core/clock.ts";
import { FairSemaphore } from "../../../../base/core/fair-semaphore.ts";
import { logErrors, runLoop, Wakeup } from "../../../../base/core/loop.ts";
import { withLimit } from "../../../../base/core/signals.ts";
import type { Logger } from "../../../../base/log/log.ts";
import { probeNames, type RuntimeInstance, type RuntimeProbe } from "../../runtime/runtime.ts";
import { checkNetwork } from "./probe-check.ts";
import { countResult, noCount, type ProbeCount } from "./probe-count.ts";

type ProbeName = (typeof probeNames)[number];

export interface ProbesOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** Runs a command in a container. @returns its exit status; undefined if it did not end in time */
  exec(id: string, command: readonly string[], signal: AbortSignal): Promise<number | undefined>;
  /** Ends a container and starts it again. */
  restart(id: string, signal: AbortSignal): Promise<void>;
  /** Called when the readiness of an instance has changed. */
  onChange(uid: string): void;
}

/** A container of the engine that runs. */
export interface ProbedContainer {
  readonly name: string;
  readonly id: string;
  readonly startedMs: number;
}

interface Probe {
  readonly spec: RuntimeProbe;
  count: ProbeCount;
  dueMs: number;
  isRunning: boolean;
}

interface Probed {
  readonly uid: string;
  readonly plane: string;
  readonly address: string;
  readonly container: ProbedContainer;
  /** Of the probes. */
  readonly identity: string;
  readonly probes: ReadonlyMap<ProbeName, Probe>;
  wasReady: boolean;
}

/** Probes that run at once; those of one project take at most half. */
const places = 32;
const restMs = 60_000;
/** Least pause between two restarts of a container by its probes. */
const restartBackoff: BackoffPolicy = { baseMs: 10_000, maxMs: 300_000, jitter: 0 };
const recoveredMs = 600_000;

/** Runs the probes of containers, and restarts those that fail their liveness or startup probe. */
export class Probes {
  readonly #options: ProbesOptions;
  /** By the engine's id of the container. */
  readonly #probed = new Map<string, Probed>();
  readonly #restarts = new Map<string, { count: number; atMs: number; why: string }>();
  readonly #restarting = new Set<string>();
  readonly #places = new FairSemaphore(places, "half");
  readonly #wakeup = new Wakeup();
  readonly #running = new Set<Promise<void>>();

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /** Takes over the probes of an instance's containers that run; all others of it are forgotten. */
  set(instance: RuntimeInstance, running: readonly ProbedContainer[]): void {
    const ids = new Set(running.map(({ id }) => id));
    for (const [id, { uid }] of this.#probed) {
      if (uid === instance.uid && !ids.has(id)) this.#probed.delete(id);
    }
    for (const container of running) {
      const specs = instance.containers.find(({ name }) => name === container.name)?.probes;
      if (specs === undefined) continue;
      const identity = JSON.stringify(specs);
      const known = this.#probed.get(container.id);
      if (known?.container.startedMs === container.startedMs && known.identity === identity) continue;
      this.#add(instance, container, specs, identity);
    }
  }

  #add(
    { uid, plane, networks }: RuntimeInstance,
    container: ProbedContainer,
    specs: NonNullable<RuntimeInstance["containers"][number]["probes"]>,
    identity: string,
  ): void {
    const { clock } = this.#options;
    const runsForMs = Math.max(0, clock.nowMs() - container.startedMs);
    const probes = new Map<ProbeName, Probe>();
    for (const name of probeNames) {
      const spec = specs[name];
      if (spec === undefined) continue;
      const dueMs = clock.monotonicMs() + Math.max(0, spec.initialDelayMs - runsForMs);
      probes.set(name, { spec, count: noCount, dueMs, isRunning: false });
    }
    const address = networks[0]?.address ?? "";
    this.#probed.set(container.id, { uid, plane, address, container, identity, probes, wasReady: false });
    this.#wakeup.wake();
  }

  /** Forgets a container that is removed. */
  forget(id: string): void {
    this.#probed.delete(id);
    this.#restarts.delete(id);
  }

  /** Why a container that runs is not ready; undefined if it is, or has no probe that says so. */
  unready(id: string): { readonly why: string; readonly wasReady: boolean } | undefined {
    const probed = this.#probed.get(id);
    if (probed === undefined) return undefined;
    for (const name of ["startup", "readiness"] as const) {
      const count = probed.probes.get(name)?.count;
      if (count === undefined || count.isSuccessful === true) continue;
      const state = count.why === undefined ? "has not succeeded yet" : `failed: ${count.why}`;
      return { why: `its ${name} probe ${state}`, wasReady: probed.wasReady };
    }
    return undefined;
  }

  /**
   * Whether a container is being restarted. Nobody else may start it meanwhile: Podman 4.3 then takes its
   * network down, and leaves it running without one.
   */
  isRestarting(id: string): boolean {
    return this.#restarting.has(id);
  }

  /** Why a container was restarted last by its probes. */
  restartOf(id: string): string | undefined {
    return this.#restarts.get(id)?.why;
  }

  /** Runs what is due until the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const onError = logErrors("probes of instances", log);
    const loop = { clock, pauseAfterErrorMs: 1_000, onError, wakeup: this.#wakeup };
    await runLoop(() => this.#startDue(signal), loop, signal);
    await Promise.all(this.#running);
  }

  /** @returns after how many ms the next one is due */
  #startDue(signal: AbortSignal): number {
    const nowMs = this.#options.clock.monotonicMs();
    let nextMs = restMs;
    for (const probed of this.#probed.values()) {
      const startup = probed.probes.get("startup");
      const isStarted = startup === undefined || startup.count.isSuccessful === true;
      for (const [name, probe] of probed.probes) {
        if (probe.isRunning || this.isRestarting(probed.container.id)) continue;
        if (name === "startup" ? isStarted : !isStarted) continue;
        if (probe.dueMs > nowMs) {
          nextMs = Math.min(nextMs, probe.dueMs - nowMs);
          continue;
        }
        probe.isRunning = true;
        const work = this.#probe(probed, name, probe, signal).finally(() => {
          probe.isRunning = false;
          probe.dueMs = this.#options.clock.monotonicMs() + probe.spec.periodMs;
          this.#running.delete(work);
          this.#wakeup.wake();
        });
        this.#running.add(work);
      }
    }
    return nextMs;
  }

  async #probe(probed: Probed, name: ProbeName, probe: Probe, signal: AbortSignal): Promise<void> {
    try {
      await this.#places.acquire(probed.plane, signal);
    } catch {
      return;
    }
    let why: string | undefined;
    try {
      why = await this.#check(probed, probe.spec, signal);
    } finally {
      this.#places.release(probed.plane);
    }
    if (signal.aborted || this.#probed.get(probed.container.id) !== probed) return;
    const before = this.unready(probed.container.id)?.why;
    probe.count = countResult(probe.count, why, probe.spec);
    const after = this.unready(probed.container.id)?.why;
    if (after === undefined) probed.wasReady = true;
    if (before !== after) this.#options.onChange(probed.uid);
    if (name === "readiness" || probe.count.isSuccessful !== false) return;
    await this.#restart(probed, name, probe, signal);
  }

  /** @returns why it failed; undefined if it succeeded */
  async #check(
    { container, address }: Probed,
    { check, timeoutMs }: RuntimeProbe,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    try {
      return await withLimit(signal, timeoutMs, async (limited) => {
        if (check.kind !== "exec") return await checkNetwork(check, address, limited);
        const status = await this.#options.exec(container.id, check.command, limited);
        if (status === undefined) return "the command did not end in time";
        return status === 0 ? undefined : `the command exited with status ${status}`;
      });
    } catch {
      return check.kind === "exec"
        ? "the command could not be run, did not end in time, or wrote too many errors"
        : "no response in time";
    }
  }

  async #restart(probed: Probed, name: ProbeName, probe: Probe, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const { container, uid } = probed;
    const nowMs = clock.monotonicMs();
    const last = this.#restarts.get(container.id);
    const count = last === undefined || nowMs - last.atMs > recoveredMs ? 0 : last.count;
    if (last !== undefined && count > 0 && nowMs < last.atMs + nextDelay(count, restartBackoff, 0)) return;
    const why = `its ${name} probe failed: ${probe.count.why ?? "no response"}`;
    this.#restarts.set(container.id, { count: count + 1, atMs: nowMs, why });
    this.#restarting.add(container.id);
    log.info({ uid, container: container.name, why }, "a container is restarted");
    try {
      await this.#options.restart(container.id, signal);
    } catch (error) {
      // Whoever calls the engine next says what is wrong with it.
      log.debug({ error: String(error) }, "a container could not be restarted");
    } finally {
      this.#restarting.delete(container.id);
    }
    this.#options.onChange(uid);
  }
}
