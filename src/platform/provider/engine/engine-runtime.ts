import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import {
  type InstanceState,
  type InstanceStats,
  type Runtime,
  type RuntimeAttachment,
  RuntimeError,
  type RuntimeInstance,
  type RuntimeInventory,
  type RuntimeLog,
  type RuntimeNetwork,
} from "../runtime/runtime.ts";
import { AddressRecord } from "./address-record.ts";
import { ContainerCreation } from "./container-creation.ts";
import { ContainerRemoval, stopWaitMs } from "./container-removal.ts";
import { ContainerStarts } from "./container-starts.ts";
import { DiskLimits, LayerLimits } from "./disk-limits.ts";
import { type EngineClient, refusedAs, unlessRefused } from "./engine-client.ts";
import { followEvents } from "./engine-events.ts";
import { type FirewallSettings, firewallNetwork, openFirewall, seesBridges } from "./engine-firewall.ts";
import { EngineInventory } from "./engine-inventory.ts";
import { readLog } from "./engine-logs.ts";
import { type MachineSettings, Machines } from "./engine-machines.ts";
import { EngineNetworks } from "./engine-networks.ts";
import type { ListedContainer } from "./engine-objects.ts";
import type { EngineParts } from "./engine-parts.ts";
import { openProbes } from "./engine-probes.ts";
import { readStats } from "./engine-stats.ts";
import { askEngine, type Engine } from "./engine-version.ts";
import { ExternalAddresses } from "./external-addresses.ts";
import { type Firewall, unavailable } from "./firewall/firewall.ts";
import { finishingRemovals } from "./half-removed-containers.ts";
import { ImageStore, type PullPolicy } from "./image-store.ts";
import { InstanceFiles } from "./instance-files.ts";
import { labelOf } from "./labels.ts";
import { isEnded, usualMinReadyMs } from "./observation.ts";
import { firewallPorts, PortRecord } from "./port-record.ts";
import type { Probes } from "./probes/probes.ts";
import { RestartRecord } from "./restart-record.ts";
import { checkInstance, specificationHash } from "./specification.ts";

export interface EngineRuntimeOptions {
  /** Closed with the runtime. */
  readonly client: EngineClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Of this platform's provider; what another one made in the same engine is left alone. */
  readonly platform: string;
  /**
   * Own folder for the files of ConfigMaps and Secrets, which the engine mounts: on its machine, best in
   * memory.
   */
  readonly directory: string;
  readonly pull: PullPolicy;
  /** Registries that images are pulled from, with the one of short names first. */
  readonly registries: readonly string[];
  readonly pullLimitMs?: number;
  /** The machine's addresses on which open ports are published; none by default. */
  readonly externalAddresses?: readonly string[];
  /** How long containers may take to end on their own; default 10 s. */
  readonly graceMs?: number;
  /** Blocks in which networks may be; default: all private ones. */
  readonly networkRanges?: readonly string[];
  /** `none`: one tenant owns the machine, and nothing but the engine keeps networks apart. */
  readonly firewall: FirewallSettings | "none";
  /** What a container may write outside of its disks; default 10 GiB, as the quotas of the platform count. */
  readonly layerBytes?: number;
  /** For how long a container without a readiness probe has to run until it counts; default 10 s. */
  readonly minReadyMs?: number;
  /** Absent: virtual machines are refused. */
  readonly machines?: MachineSettings | undefined;
  /** Least pause between two measurements of the disks; default 30 s. */
  readonly measureEveryMs?: number;
}

const usualGraceMs = 10_000;
const usualLayerBytes = 10 * 2 ** 30;
const usualMeasureEveryMs = 30_000;

/**
 * Instances as containers of Docker or Podman, by the Docker Engine API.
 *
 * Nothing is remembered that matters: each call looks at what the engine has, by labels, and does what is
 * missing. A call that was cut off anywhere is repeated, by this process or the next one.
 */
export class EngineRuntime implements Runtime {
  readonly kind = "engine";
  readonly #parts: EngineParts;
  readonly #images: ImageStore;
  readonly #files: InstanceFiles;
  readonly #ports: PortRecord;
  readonly #addresses: AddressRecord;
  readonly #probes: Probes;
  readonly #restarts: RestartRecord;
  readonly #starts: ContainerStarts;
  readonly #removal: ContainerRemoval;
  readonly #machines: Machines;
  readonly #disks: DiskLimits;
  readonly #creation: ContainerCreation;
  readonly networkRanges: readonly string[] | undefined;
  readonly enforcesSources: boolean;
  readonly #networks: EngineNetworks;
  readonly #registries: readonly string[];
  readonly #log: Logger;
  readonly #firewallSettings: FirewallSettings | undefined;
  readonly #firewall: Firewall | undefined;
  #engine: Engine | undefined;
  readonly #listeners = new Set<(uid: string | undefined) => void>();

  constructor(options: EngineRuntimeOptions) {
    const { clock, platform, graceMs = usualGraceMs, externalAddresses = [] } = options;
    const { layerBytes = usualLayerBytes } = options;
    const client = finishingRemovals(options.client);
    const report = (uid: string) => this.#report(uid);
    const inventory = new EngineInventory(client, platform);
    this.#parts = { client, inventory, platform, clock, graceMs };
    this.#images = new ImageStore({ ...options, onEnd: report });
    this.#files = new InstanceFiles(options.directory);
    this.#ports = new PortRecord(this.#files);
    this.#addresses = new AddressRecord(this.#files, inventory);
    this.#probes = openProbes(this.#parts, options.log, report);
    this.#restarts = new RestartRecord(this.#files);
    const { minReadyMs = usualMinReadyMs } = options;
    this.#starts = new ContainerStarts(this.#parts, this.#probes, this.#restarts, minReadyMs);
    const external = new ExternalAddresses(externalAddresses, inventory);
    const onRemove = (container: ListedContainer) => {
      this.#starts.forget(container.Id);
      external.remember(container);
    };
    this.#removal = new ContainerRemoval({ ...this.#parts, onRemove, onStop: report });
    this.#machines = new Machines(options.machines, this.#parts, () => this.#report(undefined));
    this.#creation = new ContainerCreation({
      ...this.#parts,
      files: this.#files,
      layers: new LayerLimits(layerBytes, options.log),
      externalAddresses: external,
      engine: (signal) => this.engine(signal),
    });
    this.#disks = new DiskLimits({
      ...this.#parts,
      log: options.log,
      layerBytes,
      everyMs: options.measureEveryMs ?? usualMeasureEveryMs,
      stop: (uid, containers) => {
        if (this.#removal.stop(containers).length > 0) report(uid);
      },
    });
    this.#registries = options.registries;
    this.#log = options.log;
    this.networkRanges = options.networkRanges;
    this.#networks = new EngineNetworks(this.#parts, options.firewall !== "none");
    this.enforcesSources = options.firewall !== "none";
    if (options.firewall === "none") return;
    this.#firewallSettings = options.firewall;
    const engine = (signal: AbortSignal) => this.engine(signal);
    this.#firewall = openFirewall(
      options.firewall,
      { ...this.#parts, log: options.log, ports: this.#ports },
      engine,
      () => this.#report(undefined),
    );
  }

  /** Checks that a suitable engine responds. @throws RuntimeError that says what to do */
  async engine(signal: AbortSignal): Promise<Engine> {
    this.#engine ??= await askEngine(this.#parts.client, signal);
    return this.#engine;
  }

  async ensureNetwork(network: RuntimeNetwork, signal: AbortSignal): Promise<void> {
    const engine = await this.engine(signal);
    const rules = firewallNetwork(this.#parts.platform, network);
    await this.#firewall?.addNetwork(network.uid, rules, signal);
    await this.#networks.ensure(network, engine, signal);
  }

  async removeNetwork(uid: string, signal: AbortSignal): Promise<void> {
    await this.#networks.remove(uid, signal);
    await this.#firewall?.removeNetwork(uid, signal);
  }

  async openPorts(uid: string, networks: readonly RuntimeAttachment[], signal: AbortSignal): Promise<void> {
    await this.engine(signal);
    await this.#openPorts(uid, await this.#networks.attach(networks, signal), signal);
  }

  async #openPorts(uid: string, networks: readonly RuntimeAttachment[], signal: AbortSignal): Promise<void> {
    if (this.#firewall === undefined) return;
    const ports = firewallPorts(networks);
    await this.#ports.write(uid, ports);
    await this.#firewall.setInstance(uid, ports, signal);
  }

  async ensureInstance(asked: RuntimeInstance, signal: AbortSignal): Promise<InstanceState> {
    const { inventory } = this.#parts;
    await this.engine(signal);
    const networks = await this.#networks.attach(asked.networks, signal);
    const { instance, machine } = await this.#machines.prepare({ ...asked, networks });
    const references = checkInstance(instance, this.#registries[0]);
    const hash = specificationHash(instance);
    let found = await inventory.instanceContainers(instance.uid, signal);
    await this.#addresses.keep(instance, found, signal);
    await this.#openPorts(instance.uid, instance.networks, signal);
    const holderName = instance.containers[0]?.name;
    const isOutdated = found.some(({ Labels }) => Labels[labelOf.specification] !== hash);
    const lacksHolder = !found.some(({ Labels }) => Labels[labelOf.container] === holderName);
    // An engine that was killed while it removed a container has not gone on.
    const isHalfRemoved = found.some(({ State }) => State === "removing" || State === "dead");
    if (found.length > 0 && (isOutdated || lacksHolder || isHalfRemoved)) {
      if (!(await this.#removal.remove(found, signal))) return again("Stopping", stopWaitMs);
      found = [];
      this.#disks.forget(instance.uid);
    }
    this.#disks.set(instance);
    if (found.some(({ State }) => isEnded(State))) await this.#disks.measured(signal);
    const excess = this.#disks.excess(instance.uid);
    if (excess !== undefined) throw new RuntimeError("refused", "DiskLimitExceeded", excess);
    // A pull per missing container is begun before any of them is waited for.
    const present = new Map(found.map((container) => [container.Labels[labelOf.container], container.Id]));
    const missing = instance.containers.filter(({ name }) => !present.has(name));
    const images = new Map<string, string>();
    for (const { name } of missing) {
      const reference = references.get(name);
      if (reference === undefined) continue;
      const id = await this.#images.find(reference, instance, instance.pullSecrets, signal);
      if (id !== undefined) images.set(name, id);
    }
    if (images.size < missing.length) return again("Provisioning", 2_000);

    await this.#files.write(instance);
    const made = { instance, missing, present, images, machine };
    await this.#creation.create(made, signal);
    const state = await this.#starts.start(instance, signal);
    if (state.status === "Running") await this.#checkFirewall(instance, signal);
    if (machine === undefined) return state;
    return await this.#machines.described(state, instance.uid, signal);
  }

  /** @throws RuntimeError when the firewall is not where the instance runs; it no longer runs */
  async #checkFirewall(instance: RuntimeInstance, signal: AbortSignal): Promise<void> {
    const { platform, inventory } = this.#parts;
    const settings = this.#firewallSettings;
    if (settings === undefined || seesBridges(platform, instance, settings)) return;
    // It may have ended just now, and the bridge with it.
    const { status } = await this.#starts.start(instance, signal);
    if (status !== "Running" || seesBridges(platform, instance, settings)) return;
    await this.#removal.remove(await inventory.instanceContainers(instance.uid, signal), signal);
    this.#log.error({}, "the engine runs in another network namespace, where the daemon has no firewall");
    throw new RuntimeError("refused", "FirewallUnavailable", unavailable);
  }

  async removeInstance(uid: string, signal: AbortSignal): Promise<boolean> {
    const { client, inventory } = this.#parts;
    const found = await inventory.instanceContainers(uid, signal);
    if (!(await this.#removal.remove(found, signal))) return false;
    for (const { Name } of await inventory.volumes({ [labelOf.instance]: uid }, signal)) {
      await refusedAs(
        "DiskInUse",
        unlessRefused([404], client.send("DELETE", `/volumes/${Name}`, {}, signal)),
      );
    }
    this.#disks.forget(uid);
    await this.#files.remove(uid);
    this.#ports.forget(uid);
    this.#restarts.forget(uid);
    await this.#firewall?.removeInstance(uid, signal);
    return true;
  }

  async inventory(signal: AbortSignal): Promise<RuntimeInventory> {
    await this.engine(signal);
    const { inventory } = this.#parts;
    const containers = await inventory.containers({}, signal);
    const volumes = await inventory.volumes({}, signal);
    const networks = await inventory.networks({}, signal);
    // A folder does not say whose it is; usually a container does.
    const instances = new Map<string, string | undefined>();
    for (const uid of await this.#files.uids()) instances.set(uid, undefined);
    for (const { Labels } of [...containers, ...volumes]) {
      const { [labelOf.instance]: uid, [labelOf.plane]: plane } = Labels;
      if (uid !== undefined) instances.set(uid, plane);
    }
    return {
      instances: [...instances].map(([uid, plane]) => ({ uid, plane })),
      networks: networks.flatMap(({ Labels }) => {
        const { [labelOf.network]: uid, [labelOf.plane]: plane } = Labels;
        return uid === undefined ? [] : { uid, plane };
      }),
    };
  }

  async watch(onChange: (uid: string | undefined) => void, signal: AbortSignal): Promise<void> {
    const { client, platform, clock } = this.#parts;
    this.#listeners.add(onChange);
    try {
      const follow = followEvents(client, platform, onChange, clock, signal);
      await Promise.all([
        follow,
        this.#firewall?.run(signal),
        this.#disks.run(signal),
        this.#probes.run(signal),
      ]);
    } finally {
      this.#listeners.delete(onChange);
    }
  }

  problem(): string | undefined {
    const problem = this.#firewall?.problem;
    if (problem !== undefined) return `the firewall cannot be kept: ${problem}`;
    const { problem: unmeasured } = this.#disks;
    return unmeasured === undefined ? undefined : `the disks of instances cannot be measured: ${unmeasured}`;
  }

  locationProblem(): { readonly reason: string; readonly message: string } | undefined {
    if (this.#firewall?.problem === undefined) return undefined;
    return { reason: "FirewallUnavailable", message: unavailable };
  }

  async readLog(log: RuntimeLog, take: (bytes: Uint8Array) => Promise<void>, signal: AbortSignal) {
    const { client, inventory } = this.#parts;
    await readLog(client, await inventory.instanceContainers(log.uid, signal), log, take, signal);
  }

  locationNote(): string | undefined {
    return this.#machines.note();
  }

  async stats(signal: AbortSignal): Promise<readonly InstanceStats[]> {
    const { client, inventory } = this.#parts;
    return readStats(client, await inventory.containers({}, signal), this.#restarts, signal);
  }

  async close(): Promise<void> {
    await Promise.all([this.#images.close(), this.#removal.close()]);
    await this.#parts.client.close();
  }

  #report(uid: string | undefined): void {
    for (const listener of this.#listeners) listener(uid);
  }
}

function again(status: "Provisioning" | "Stopping", againMs: number): InstanceState {
  return { status, externalAddresses: [], againMs };
}
