import { describeError } from "../../../base/core/errors.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { objectPath, WriteError } from "../plane/object-writer.ts";
import { isDeleting, keyOf, namespaceOf, numberAt, textAt, textsAt, uidOf } from "../plane/plane-object.ts";
import { familyOf, type Runtime, RuntimeError } from "../runtime/runtime.ts";
import type { RuntimeHealth } from "../runtime/runtime-health.ts";
import { subnetBlock } from "./subnet-block.ts";

const defaultMtu = 1_460;

/** The runtime's networks: one for each NetworkContext that has an allocated Subnet. */
export class Networks {
  readonly #runtime: Runtime;
  readonly #health: RuntimeHealth;
  /** By uid of the NetworkContext: the subnets it was made with. */
  readonly #made = new Map<string, string>();
  /** By uid of the NetworkContext: each of its Subnets asks for the network. */
  readonly #making = new Map<string, Promise<void>>();

  constructor(runtime: Runtime, health: RuntimeHealth) {
    this.#runtime = runtime;
    this.#health = health;
  }

  /**
   * Makes a NetworkContext's network, unless it is known to be there.
   *
   * @returns false while a family of the Network has no allocated Subnet: a runtime's network keeps the
   * subnets that it was made with
   * @throws RuntimeError; WriteError when the control plane does not respond
   */
  async ensure(plane: FollowedPlane, context: PlaneObject, signal: AbortSignal): Promise<boolean> {
    const blocks = plane
      .subnetsOf(context)
      .filter((subnet) => !isDeleting(subnet))
      .map((subnet) => subnetBlock(subnet, this.#runtime.networkRanges));
    const subnets = blocks.flatMap((block) => (block.kind === "block" ? block.cidr : [])).toSorted();
    if (subnets.length === 0) return false;
    const uid = uidOf(context);
    await this.#making.get(uid)?.catch(() => undefined);
    if (this.#made.get(uid) === subnets.join()) return true;
    const { mtu, families } = await readNetwork(plane, context, signal);
    const allocated = new Set<string>(subnets.map(familyOf));
    if (!families.every((family) => allocated.has(family))) return false;
    const network = { uid, plane: plane.plane, name: keyOf(context), subnets, mtu };
    const making = this.#making.get(uid) ?? this.#asked(() => this.#runtime.ensureNetwork(network, signal));
    this.#making.set(uid, making);
    await making.finally(() => this.#making.delete(uid));
    this.#made.set(uid, subnets.join());
    return true;
  }

  /** @throws RuntimeError */
  async remove(uid: string, signal: AbortSignal): Promise<void> {
    this.#made.delete(uid);
    await this.#asked(() => this.#runtime.removeNetwork(uid, signal));
  }

  /** Takes what the runtime holds: what is not there has to be made again. */
  notice(present: ReadonlySet<string>): void {
    for (const uid of this.#made.keys()) if (!present.has(uid)) this.#made.delete(uid);
  }

  async #asked(call: () => Promise<void>): Promise<void> {
    try {
      await call();
      this.#health.responded();
    } catch (error) {
      if (error instanceof RuntimeError && error.outcome === "unavailable") {
        this.#health.failed(describeError(error));
      }
      throw error;
    }
  }
}

interface NetworkSpec {
  readonly mtu: number;
  /** `IPv4`, `IPv6` or both; of a Network that is gone: none. */
  readonly families: readonly string[];
}

async function readNetwork(
  plane: FollowedPlane,
  context: PlaneObject,
  signal: AbortSignal,
): Promise<NetworkSpec> {
  const name = textAt(context, "spec", "network", "name") ?? "";
  const networks = `/apis/networking.${plane.groupDomain}/v1alpha/networks`;
  const found = await plane.client.send("GET", objectPath(networks, namespaceOf(context), name), {}, signal);
  if (found.outcome === "ok") {
    const families = textsAt(found.json, "spec", "ipFamilies");
    return { mtu: numberAt(found.json, "spec", "mtu") ?? defaultMtu, families };
  }
  if (found.outcome === "rejected" && found.code === 404) return { mtu: defaultMtu, families: [] };
  throw new WriteError(found.message);
}
