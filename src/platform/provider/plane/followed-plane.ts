import type { Clock } from "../../../base/core/clock.ts";
import { Deferred } from "../../../base/core/deferred.ts";
import { runServices, type Service } from "../../../base/core/service.ts";
import { untilAborted } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { PlaneClient } from "../../client/api/plane-client.ts";
import { createReflector, type Reflector } from "../../client/api/reflector.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { type Change, Collection } from "./collection.ts";
import { DependentIndex } from "./dependent-index.ts";
import { namedConfigs } from "./named-configs.ts";
import { networkKeyOf, networkKeys } from "./network-keys.ts";
import { ObjectWriter, roleNeeded } from "./object-writer.ts";
import {
  finalizersOf,
  isDeleting,
  keyOf,
  locationKeyOf,
  nameKey,
  namespaceOf,
  textAt,
  uidOf,
} from "./plane-object.ts";
import type { Ownership, Served } from "./served.ts";

export type WorkKind = "location" | "context" | "subnet" | "instance";

export interface FollowedPlaneOptions {
  /** `organization/project`, or the project alone where its organization is not known. */
  readonly plane: string;
  readonly client: PlaneClient;
  readonly groupDomain: string;
  readonly served: Served;
  /** Called with what has changed and may need work. */
  add(kind: WorkKind, key: string): void;
  /** Called with what the control plane asks for of an Instance's log; the same several times. */
  onLogRequest(request: PlaneObject): void;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

const onlyMetadata = {
  list: "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json;q=0.1",
  watch: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;q=0.1",
};
/** Pause before a project without Locations is looked at again after a failure. */
const lookAgainMs = 10_000;

/**
 * One project's control plane, as the provider sees it. A project without a Location of this provider costs
 * one watch; the others begin with the first Location, or with what is left of earlier ones. Of ConfigMaps
 * and Secrets only the metadata is followed, once an Instance names some.
 */
export class FollowedPlane implements Service {
  readonly name: string;
  readonly plane: string;
  readonly client: PlaneClient;
  readonly groupDomain: string;
  readonly writer: ObjectWriter;
  readonly locations: Collection;
  readonly contexts: Collection;
  readonly subnets: Collection;
  readonly instances: Collection;
  readonly configs: { readonly ConfigMap: Collection; readonly Secret: Collection };
  /** Keys of Instances by uid. */
  readonly instanceKey = new Map<string, string>();
  /** Locations that another provider serves, with its identity. */
  readonly taken = new Map<string, string>();
  readonly #options: FollowedPlaneOptions;
  readonly #dependents = new DependentIndex();
  /** Keys of NetworkContexts by network key. */
  readonly #contextsByNetwork = new Map<string, Set<string>>();
  readonly #isUsed = new Deferred<void>();
  readonly #namesConfigs = new Deferred<void>();
  #use: "unknown" | "none" | "used" = "unknown";
  readonly #reflectors: Reflector[] = [];

  constructor(options: FollowedPlaneOptions) {
    const { plane, client, groupDomain } = options;
    this.#options = options;
    this.plane = plane;
    this.name = `provider ${plane}`;
    this.client = client;
    this.groupDomain = groupDomain;
    this.writer = new ObjectWriter(client, () => options.log.error({ plane }, roleNeeded));
    const networking = `/apis/networking.${groupDomain}/v1alpha`;
    this.locations = new Collection(`${networking}/locations`, (change) => this.#onLocation(change));
    this.contexts = new Collection(`${networking}/networkcontexts`, (change) => this.#onContext(change));
    this.subnets = new Collection(`${networking}/subnets`, (change) => this.#onSubnet(change));
    this.instances = new Collection(`/apis/compute.${groupDomain}/v1alpha/instances`, (change) =>
      this.#onInstance(change),
    );
    this.configs = {
      ConfigMap: new Collection("/api/v1/configmaps", ({ key }) => this.#addDependents(`ConfigMap ${key}`)),
      Secret: new Collection("/api/v1/secrets", ({ key }) => this.#addDependents(`Secret ${key}`)),
    };
  }

  /** All that this provider may have made here is known. */
  get isListed(): boolean {
    if (!this.locations.isListed) return false;
    if (this.#use !== "used") return this.#use === "none";
    return this.contexts.isListed && this.subnets.isListed && this.instances.isListed;
  }

  snapshot() {
    return {
      plane: this.plane,
      listed: this.isListed,
      instances: this.instances.size,
      taken: [...this.taken.keys()],
      collections: this.#reflectors.map((reflector) => reflector.snapshot()),
    };
  }

  ownership(object: PlaneObject): Ownership {
    return this.#options.served.ownership(this.locations.get(locationKeyOf(object)), object);
  }

  /** The NetworkContext of a network at a location; one that stays wins over one that is being deleted. */
  contextOf(networkKey: string): PlaneObject | undefined {
    const found = this.#contextsOf(networkKey);
    return found.find((context) => !isDeleting(context)) ?? found[0];
  }

  /** Usually one; users may make more. */
  #contextsOf(networkKey: string): PlaneObject[] {
    return [...(this.#contextsByNetwork.get(networkKey) ?? [])]
      .map((key) => this.contexts.get(key))
      .filter((context) => context !== undefined);
  }

  /** Whether Instances with a finalizer are in the network of a NetworkContext, or may be. */
  heldInstancesIn(context: PlaneObject, finalizer: string): boolean {
    for (const key of this.#dependents.of(`network ${networkKeyOf(context)}`)) {
      const instance = this.instances.get(key);
      if (instance !== undefined && finalizersOf(instance).includes(finalizer)) return true;
    }
    return false;
  }

  subnetsOf(context: PlaneObject): PlaneObject[] {
    const key = keyOf(context);
    return [...this.subnets.values()].filter((subnet) => contextKeyOf(subnet) === key);
  }

  /** Adds everything that depends on the runtime. */
  addAll(): void {
    for (const key of this.locations.keys()) this.#options.add("location", key);
    for (const key of this.contexts.keys()) this.#options.add("context", key);
    for (const key of this.subnets.keys()) this.#options.add("subnet", key);
    for (const key of this.instances.keys()) this.#options.add("instance", key);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { groupDomain } = this;
    const networking = `networking.${groupDomain}/v1alpha`;
    const always = [this.#reflect(this.locations, networking, "Location")];
    const whenUsed = [
      this.#reflect(this.contexts, networking, "NetworkContext"),
      this.#reflect(this.subnets, networking, "Subnet"),
      this.#reflect(this.instances, `compute.${groupDomain}/v1alpha`, "Instance"),
    ];
    const whenNamed = [
      this.#reflect(this.configs.ConfigMap, "v1", "ConfigMap", onlyMetadata),
      this.#reflect(this.configs.Secret, "v1", "Secret", onlyMetadata),
    ];
    // Each group has a signal of its own: Node.js slows down with the number of listeners on a shared one.
    const group = (name: string, begin: Deferred<void>, reflectors: readonly Reflector[]): Service => ({
      name: `${this.name} ${name}`,
      run: async (stop) => {
        await Promise.race([begin.promise, untilAborted(stop)]);
        if (stop.aborted) return;
        this.#reflectors.push(...reflectors);
        await runServices(
          reflectors.map(({ run }, index) => ({ name: `${this.name} ${name} ${index}`, run })),
          stop,
        );
      },
    });
    const now = new Deferred<void>();
    now.resolve();
    const services = [
      group("locations", now, always),
      group("objects", this.#isUsed, whenUsed),
      group("configs", this.#namesConfigs, whenNamed),
      { name: `${this.name} look`, run: (stop: AbortSignal) => this.#lookForUse(stop) },
    ];
    await runServices(services, signal);
  }

  #reflect(
    collection: Collection,
    apiVersion: string,
    kind: string,
    accept?: typeof onlyMetadata,
  ): Reflector {
    const { client, clock, log, random, plane, served, onLogRequest } = this.#options;
    return createReflector({
      client,
      clock,
      random,
      apiVersion,
      kind,
      ...(accept === undefined ? {} : { accept }),
      log: log.child({ plane }),
      path: collection.path,
      ...(collection === this.instances ? { select: { logRequests: served.provider }, onLogRequest } : {}),
      onEffect: (effect) => {
        collection.take(effect);
        if (effect.kind === "swap" && this.isListed) this.addAll();
      },
    });
  }

  /** Whether anything is left of Locations that are gone: it needs this provider for its removal. */
  async #lookForUse(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    while (this.#use === "unknown" && !signal.aborted) {
      let isUsed: boolean | undefined = false;
      for (const { path } of [this.instances, this.contexts, this.subnets]) {
        const found = await client.send("GET", path, { query: { limit: "1" } }, signal);
        const items = found.outcome === "ok" ? found.json["items"] : undefined;
        if (found.outcome !== "ok" && !(found.outcome === "rejected" && found.code === 404))
          isUsed = undefined;
        if (Array.isArray(items) && items.length > 0) isUsed = true;
        if (isUsed !== false) break;
      }
      if (isUsed === true) this.#begin();
      else if (isUsed === false && this.#use === "unknown") this.#use = "none";
      else await clock.sleep(lookAgainMs, signal);
    }
  }

  #begin(): void {
    this.#use = "used";
    this.#isUsed.resolve();
  }

  #onLocation({ key, before, after, isKnown }: Change): void {
    const { served, add } = this.#options;
    if (after === undefined) this.taken.delete(key);
    else if (served.isServed(after)) this.#begin();
    if (isKnown) return;
    add("location", key);
    if (served.ownershipKey(before) !== served.ownershipKey(after)) this.ownershipChanged(key);
  }

  /** Adds the objects of a Location: they may be this provider's now, or no longer. */
  ownershipChanged(key: string): void {
    const { add } = this.#options;
    const isThere = (object: PlaneObject) => locationKeyOf(object) === key;
    for (const object of this.contexts.values()) if (isThere(object)) add("context", keyOf(object));
    for (const object of this.subnets.values()) if (isThere(object)) add("subnet", keyOf(object));
    for (const object of this.instances.values()) if (isThere(object)) add("instance", keyOf(object));
  }

  #onContext({ key, before, after, isKnown }: Change): void {
    if (before !== undefined) this.#contextsByNetwork.get(networkKeyOf(before))?.delete(key);
    if (after !== undefined) {
      const network = networkKeyOf(after);
      const contexts = this.#contextsByNetwork.get(network) ?? new Set();
      this.#contextsByNetwork.set(network, contexts.add(key));
    } else if (before !== undefined && this.#contextsByNetwork.get(networkKeyOf(before))?.size === 0) {
      this.#contextsByNetwork.delete(networkKeyOf(before));
    }
    if (isKnown) return;
    this.#options.add("context", key);
    const [was, is] = [before && uidOf(before), after && uidOf(after)];
    if (was === is) return;
    for (const subnet of this.subnets.values()) {
      if (contextKeyOf(subnet) === key) this.#options.add("subnet", keyOf(subnet));
    }
    const object = after ?? before;
    if (object !== undefined) this.#addDependents(`network ${networkKeyOf(object)}`);
  }

  #onSubnet({ key, before, after, isKnown }: Change): void {
    if (isKnown) return;
    this.#options.add("subnet", key);
    const subnet = after ?? before;
    const context = subnet && this.contexts.get(contextKeyOf(subnet));
    if (context === undefined || blockText(before) === blockText(after)) return;
    this.#options.add("context", keyOf(context));
    this.#addDependents(`network ${networkKeyOf(context)}`);
  }

  #onInstance({ key, before, after, isKnown }: Change): void {
    const names = after === undefined ? [] : this.#namesOf(after);
    this.#dependents.set(key, names);
    if (before !== undefined) this.instanceKey.delete(uidOf(before));
    if (after !== undefined) this.instanceKey.set(uidOf(after), key);
    if (names.some((name) => !name.startsWith("network "))) this.#namesConfigs.resolve();
    if (isKnown) return;
    this.#options.add("instance", key);
    if (after !== undefined || before === undefined) return;
    for (const context of networkKeys(before).flatMap((key) => this.#contextsOf(key))) {
      if (isDeleting(context)) this.#options.add("context", keyOf(context));
      for (const subnet of this.subnetsOf(context)) {
        if (isDeleting(subnet)) this.#options.add("subnet", keyOf(subnet));
      }
    }
  }

  #namesOf(instance: PlaneObject): string[] {
    const configs = namedConfigs(instance).map(
      ({ kind, name }) => `${kind} ${nameKey(namespaceOf(instance), name)}`,
    );
    return [...configs, ...networkKeys(instance).map((key) => `network ${key}`)];
  }

  #addDependents(name: string): void {
    for (const key of this.#dependents.of(name)) this.#options.add("instance", key);
  }
}

/** The key of the NetworkContext that a Subnet names. */
export function contextKeyOf(subnet: PlaneObject): string {
  return nameKey(namespaceOf(subnet), textAt(subnet, "spec", "networkContext", "name"));
}

function blockText(subnet: PlaneObject | undefined): string {
  const status = subnet?.["status"] as Record<string, unknown> | undefined;
  return `${status?.["startAddress"]}/${status?.["prefixLength"]} ${subnet && isDeleting(subnet)}`;
}
