import { formatByteSize } from "../../../base/core/byte-size.ts";
import { describeError } from "../../../base/core/errors.ts";
import { runLoop } from "../../../base/core/loop.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { RuntimeInstance } from "../runtime/runtime.ts";
import { EngineRefusal } from "./engine-client.ts";
import { diskUsage, type ListedContainer, readResponse } from "./engine-objects.ts";
import type { EngineParts } from "./engine-parts.ts";
import { containerName, labelOf, volumeName } from "./labels.ts";

/** A disk, or what a container writes outside of its disks. */
export interface DiskLimit {
  /** Of the volume or container in the engine. */
  readonly name: string;
  /** For the tenant. */
  readonly title: string;
  readonly bytes: number;
}

export interface DiskLimitsOptions extends EngineParts {
  readonly log: Logger;
  /** Stops these containers of an instance that exceeds a limit; called after each measurement. */
  readonly stop: (uid: string, containers: readonly ListedContainer[]) => void;
  /** What each container may write outside of its disks. */
  readonly layerBytes: number;
  readonly everyMs: number;
}

/** The engine looks at every file. */
const limitMs = 120_000;
/** Share of the time that the engine may measure. */
const busyShare = 0.1;
/** Before there is an instance, and so before the first one of a restarted daemon has run for long. */
const emptyMs = 1_000;
/** Failures in a row that are a problem, and not the removal of a container in mid-measurement. */
const badFailures = 3;
const noSizes: ReadonlyMap<string, number> = new Map();

/**
 * Stops instances that use more disk than they may. Few storage drivers can limit it, so it is measured: what
 * is written between two measurements is not held back.
 */
export class DiskLimits {
  readonly #options: DiskLimitsOptions;
  /** By uid of the instance. */
  readonly #limits = new Map<string, readonly DiskLimit[]>();
  readonly #excesses = new Map<string, string>();
  /** Bytes by name in the engine; undefined before the first measurement. */
  #sizes: Map<string, number> | undefined;
  #first: Promise<void> | undefined;
  #failures = 0;
  problem: string | undefined;

  constructor(options: DiskLimitsOptions) {
    this.#options = options;
  }

  set(instance: RuntimeInstance): void {
    this.#limits.set(instance.uid, limitsOf(instance, this.#options.layerBytes));
  }

  /** Its containers or its disks are gone. */
  forget(uid: string): void {
    for (const { name } of this.#limits.get(uid) ?? []) this.#sizes?.delete(name);
    this.#limits.delete(uid);
    this.#excesses.delete(uid);
  }

  /** Why an instance must not run, and stays so until it is forgotten; undefined if it may run. */
  excess(uid: string): string | undefined {
    const excess = this.#excesses.get(uid) ?? excessOf(this.#limits.get(uid) ?? [], this.#sizes ?? noSizes);
    if (excess !== undefined) this.#excesses.set(uid, excess);
    return excess;
  }

  /**
   * Waits for the first measurement, which may fail: a container that has ended may have been stopped by an
   * earlier daemon, and must not be started again.
   */
  async measured(signal: AbortSignal): Promise<void> {
    if (this.#sizes !== undefined) return;
    this.#first ??= this.measure(signal)
      .catch(() => undefined)
      .finally(() => {
        this.#first = undefined;
      });
    await this.#first;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log, everyMs } = this.#options;
    const tick = async (): Promise<number> => {
      if (this.#limits.size === 0) return Math.min(emptyMs, everyMs);
      const startMs = clock.monotonicMs();
      await this.measure(signal);
      this.#failures = 0;
      this.problem = undefined;
      return Math.max(everyMs, (clock.monotonicMs() - startMs) / busyShare);
    };
    const onError = (error: unknown): void => {
      this.#failures += 1;
      if (this.#failures < badFailures) return;
      this.problem = describeError(error);
      log.warn({ error: this.problem }, "the disks of instances cannot be measured");
    };
    await runLoop(tick, { clock, pauseAfterErrorMs: everyMs, onError }, signal);
  }

  /** Measures all instances once, and stops those that exceed a limit. @throws as the engine's client */
  async measure(signal: AbortSignal): Promise<void> {
    const { client, inventory, stop } = this.#options;
    const usage = readResponse(diskUsage, await client.send("GET", "/system/df", { limitMs }, signal));
    const byId = new Map((usage.Containers ?? []).map(({ Id, SizeRw }) => [Id, SizeRw ?? 0]));
    const sizes = new Map((usage.Volumes ?? []).map(({ Name, UsageData }) => [Name, UsageData?.Size ?? 0]));
    const containers = new Map<string, ListedContainer[]>();
    for (const container of await inventory.containers({}, signal)) {
      const { [labelOf.instance]: uid = "", [labelOf.container]: name = "" } = container.Labels;
      sizes.set(containerName(uid, name), byId.get(container.Id) ?? 0);
      containers.set(uid, [...(containers.get(uid) ?? []), container]);
    }
    this.#sizes = sizes;
    for (const uid of this.#limits.keys()) {
      if (this.excess(uid) !== undefined) stop(uid, containers.get(uid) ?? []);
    }
  }
}

/** Has the engine limit what a container writes outside of its disks, where its storage can. */
export class LayerLimits {
  readonly #bytes: number;
  readonly #log: Logger;
  #isRefused = false;

  constructor(bytes: number, log: Logger) {
    this.#bytes = bytes;
    this.#log = log;
  }

  /**
   * Makes a container with the limit or, if the engine makes it only so, without.
   *
   * @param mayLimit see `Engine.limitsLayers`
   */
  async make<T>(mayLimit: boolean, make: (layerBytes: number | undefined) => Promise<T>): Promise<T> {
    if (!mayLimit || this.#isRefused) return await make(undefined);
    try {
      return await make(this.#bytes);
    } catch (error) {
      if (!(error instanceof EngineRefusal)) throw error;
      const made = await make(undefined);
      this.#isRefused = true;
      const message = "the engine cannot limit what containers write; it is measured";
      this.#log.warn({ error: error.message }, message);
      return made;
    }
  }
}

/** What an instance may use, each disk once. */
export function limitsOf({ uid, containers }: RuntimeInstance, layerBytes: number): DiskLimit[] {
  const limits = new Map<string, DiskLimit>();
  for (const container of containers) {
    const name = containerName(uid, container.name);
    limits.set(name, { name, title: `container ${container.name}`, bytes: layerBytes });
    for (const mount of container.mounts) {
      if (mount.kind !== "disk") continue;
      const disk = volumeName(uid, mount.volume);
      limits.set(disk, { name: disk, title: `disk ${mount.volume}`, bytes: mount.sizeBytes });
    }
  }
  return [...limits.values()];
}

/** @param sizes bytes by name in the engine @returns the first excess, in words; undefined if there is none */
export function excessOf(
  limits: readonly DiskLimit[],
  sizes: ReadonlyMap<string, number>,
): string | undefined {
  const found = limits.find(({ name, bytes }) => (sizes.get(name) ?? 0) > bytes);
  if (found === undefined) return undefined;
  const { title, name, bytes } = found;
  const held = `${title} holds ${formatByteSize(sizes.get(name) ?? 0)} of ${formatByteSize(bytes)}`;
  return `${held}: the instance was stopped; delete it to have another with empty disks`;
}
