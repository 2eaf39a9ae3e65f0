import type { Clock } from "../../../base/core/clock.ts";
import { untilAborted } from "../../../base/core/signals.ts";
import {
  addressDiffers,
  addressInUse,
  type InstanceState,
  type InstanceStatus,
  type Runtime,
  RuntimeError,
  type RuntimeInstance,
  type RuntimeInventory,
  type RuntimeNetwork,
} from "../runtime/runtime.ts";
import { EmulatedAddresses } from "./emulated-addresses.ts";
import { type EmulatedFaults, isNamed, missingRolesMessage } from "./emulated-faults.ts";

export interface EmulatedOptions {
  /** Duration of Provisioning, and of Staging. */
  readonly stepMs: number;
  readonly faults: EmulatedFaults;
  readonly clock: Clock;
}

interface Emulated {
  readonly plane: string;
  readonly status: InstanceStatus;
  readonly sinceMs: number;
  /** Addresses by uid of the network. */
  readonly networks: ReadonlyMap<string, string>;
}

const nextStatus: Partial<Record<InstanceStatus, InstanceStatus>> = {
  Provisioning: "Staging",
  Staging: "Running",
};

/**
 * A runtime in which nothing runs, for clients, teaching and tests of the API. An instance is Provisioning
 * and Staging for a step each, then Running; each call shows the next status at most, so that none is
 * skipped. An instance that was reported as Staging or Running continues there after a restart. Faults come
 * from the configuration only.
 */
export class EmulatedRuntime implements Runtime {
  readonly kind = "emulated";
  readonly #options: EmulatedOptions;
  readonly #instances = new Map<string, Emulated>();
  /** Instances by network. */
  readonly #networks = new Map<string, RuntimeNetwork>();
  readonly #addresses = new EmulatedAddresses();
  /** Uids of instances, by `<uid of the network> <address>`. */
  readonly #takenBy = new Map<string, string>();

  constructor(options: EmulatedOptions) {
    this.#options = options;
  }

  async ensureNetwork(network: RuntimeNetwork): Promise<void> {
    const present = this.#networks.get(network.uid);
    if (present !== undefined && present.subnets.join() !== network.subnets.join()) {
      const message = `the network exists with ${present.subnets.join(", ")} (emulated)`;
      throw new RuntimeError("refused", "NetworkExists", message);
    }
    this.#networks.set(network.uid, network);
  }

  async removeNetwork(uid: string): Promise<void> {
    if ([...this.#instances.values()].some(({ networks }) => networks.has(uid))) {
      throw new RuntimeError("refused", "NetworkInUse", "instances are in the network (emulated)");
    }
    this.#networks.delete(uid);
  }

  async ensureInstance(instance: RuntimeInstance): Promise<InstanceState> {
    const { uid, name, plane } = instance;
    const { faults, clock, stepMs } = this.#options;
    const networks = new Map(instance.networks.map(({ networkUid, address }) => [networkUid, address]));
    const absent = [...networks.keys()].find((network) => !this.#networks.has(network));
    if (absent !== undefined) {
      throw new RuntimeError("refused", "NetworkNotFound", "the instance's network is not there (emulated)");
    }
    if (isNamed(faults.failInstances, name)) {
      throw new RuntimeError("refused", "StartFailed", "the instance fails as configured (emulated)");
    }
    this.#takeAddresses(uid, networks);
    const nowMs = clock.monotonicMs();
    const isHanging = isNamed(faults.hang, name);
    const seen = this.#instances.get(uid);
    const next = seen === undefined ? firstStatus(instance.reported) : nextStatus[seen.status];
    const isDue = seen === undefined || (nowMs - seen.sinceMs >= stepMs && !isHanging);
    const now =
      next !== undefined && isDue
        ? { plane, status: isHanging ? "Provisioning" : next, sinceMs: nowMs, networks }
        : { plane, status: seen?.status ?? "Provisioning", sinceMs: seen?.sinceMs ?? nowMs, networks };
    this.#instances.set(uid, now);
    const externalAddresses = instance.networks.map(({ reportedExternal }, index) =>
      this.#addresses.of(uid, index, reportedExternal),
    );
    const state = { status: now.status, externalAddresses };
    if (isHanging) return { ...state, detail: "stays so as configured (emulated)" };
    if (now.status === "Running") return state;
    return { ...state, againMs: Math.max(0, now.sinceMs + stepMs - nowMs) };
  }

  /** @throws RuntimeError if the instance has another address already, or another instance has this one */
  #takeAddresses(uid: string, networks: ReadonlyMap<string, string>): void {
    const known = this.#instances.get(uid)?.networks ?? new Map<string, string>();
    for (const [network, address] of networks) {
      const has = known.get(network);
      if (has !== undefined && has !== address) throw addressDiffers(has, address);
      if ((this.#takenBy.get(`${network} ${address}`) ?? uid) !== uid) throw addressInUse(address);
    }
    for (const each of known) this.#takenBy.delete(each.join(" "));
    for (const each of networks) this.#takenBy.set(each.join(" "), uid);
  }

  async removeInstance(uid: string): Promise<boolean> {
    for (const each of this.#instances.get(uid)?.networks ?? []) this.#takenBy.delete(each.join(" "));
    this.#instances.delete(uid);
    this.#addresses.release(uid);
    return true;
  }

  async inventory(): Promise<RuntimeInventory> {
    const parts = (held: ReadonlyMap<string, { readonly plane: string }>) =>
      [...held].map(([uid, { plane }]) => ({ uid, plane }));
    return { instances: parts(this.#instances), networks: parts(this.#networks) };
  }

  /** Nothing changes by itself. */
  async watch(_onChange: (uid: string | undefined) => void, signal: AbortSignal): Promise<void> {
    await untilAborted(signal);
  }

  async readLog(): Promise<void> {
    throw new RuntimeError("refused", "NothingRuns", "nothing runs here, so there is no log (emulated)");
  }

  locationProblem(cloudProjectId: string) {
    const { missingRoles, domainRestricted } = this.#options.faults;
    if (missingRoles.length > 0) {
      return { reason: "MissingRoles", message: missingRolesMessage(missingRoles) };
    }
    if (!domainRestricted) return undefined;
    const subject = `the organization policy of ${cloudProjectId}`;
    const message = `${subject} does not permit the platform's service accounts (emulated)`;
    return { reason: "DomainRestricted", message };
  }
}

function firstStatus(reported: InstanceStatus | undefined): InstanceStatus {
  return reported === "Running" || reported === "Staging" ? reported : "Provisioning";
}
