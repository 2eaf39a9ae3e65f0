import { createHash } from "node:crypto";
import { familyOf, type RuntimeAttachment, RuntimeError, type RuntimeNetwork } from "../runtime/runtime.ts";
import { refusedAs, unlessRefused } from "./engine-client.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { Engine } from "./engine-version.ts";
import { labelOf, membershipLabel, networkName } from "./labels.ts";
import { firstAddress, otherAddress } from "./specification.ts";

/** The networks of an engine. */
export class EngineNetworks {
  readonly #parts: EngineParts;
  readonly #enforcesSources: boolean;
  /** By uid of the network. */
  readonly #subnets = new Map<string, readonly string[]>();

  constructor(parts: EngineParts, enforcesSources: boolean) {
    this.#parts = parts;
    this.#enforcesSources = enforcesSources;
  }

  async ensure(network: RuntimeNetwork, { isPodman }: Engine, signal: AbortSignal): Promise<void> {
    await ensureNetwork(this.#parts, network, isPodman, signal);
    this.#subnets.set(network.uid, network.subnets);
  }

  /** @throws RuntimeError while containers are in it */
  async remove(uid: string, signal: AbortSignal): Promise<void> {
    await removeNetwork(this.#parts, uid, signal);
    this.#subnets.delete(uid);
  }

  /** The attachments with what the engine gives, and only the ports that are open as they say. */
  async attach(networks: readonly RuntimeAttachment[], signal: AbortSignal): Promise<RuntimeAttachment[]> {
    const result: RuntimeAttachment[] = [];
    for (const network of networks) {
      const { networkUid, address, openPorts } = network;
      const subnets = this.#subnets.get(networkUid) ?? (await subnetsOf(this.#parts, networkUid, signal));
      this.#subnets.set(networkUid, subnets);
      const isOpen = ({ from }: RuntimeAttachment["openPorts"][number]) =>
        this.#enforcesSources || from === undefined;
      result.push({
        ...network,
        openPorts: openPorts.filter(isOpen),
        otherAddress: otherAddress(address, subnets),
        gateways: subnets.map(firstAddress),
      });
    }
    return result;
  }
}

/** A bridge. What passes between it and anything else is decided by the provider's own firewall. */
async function ensureNetwork(
  { client, platform, inventory }: EngineParts,
  network: RuntimeNetwork,
  isPodman: boolean,
  signal: AbortSignal,
): Promise<void> {
  const families = new Set(network.subnets.map(familyOf));
  const label = { [labelOf.network]: network.uid };
  const [found] = await inventory.networks(label, signal);
  if (found !== undefined) {
    const all = (found.IPAM.Config ?? []).map(({ Subnet }) => Subnet);
    // Docker gives a network of IPv6 a block of IPv4, too.
    const subnets = all.filter((subnet) => families.has(familyOf(subnet))).sort();
    if (subnets.join() === [...network.subnets].sort().join()) return;
    throw new RuntimeError("refused", "NetworkDiffers", `the network has the subnets ${subnets.join(", ")}`);
  }
  const body = {
    Name: networkName(network.uid),
    Driver: "bridge",
    CheckDuplicate: true,
    // To Podman, it means both families: it would add a block of the other one.
    EnableIPv6: isPodman ? families.size > 1 : families.has("IPv6"),
    IPAM: { Config: network.subnets.map((Subnet) => ({ Subnet, Gateway: firstAddress(Subnet) })) },
    Options: {
      "com.docker.network.driver.mtu": String(network.mtu),
      "com.docker.network.bridge.name": bridgeName(platform, network.uid),
      ...(isPodman ? {} : openToOurTable),
    },
    Labels: inventory.labels({ ...label, [labelOf.plane]: network.plane, [labelOf.name]: network.name }),
  };
  await refusedAs("NetworkRefused", client.send("POST", "/networks/create", { body }, signal));
}

/** Subnets of a network; none if there is no such network. */
async function subnetsOf(
  { inventory }: Pick<EngineParts, "inventory">,
  uid: string,
  signal: AbortSignal,
): Promise<string[]> {
  const [found] = await inventory.networks({ [labelOf.network]: uid }, signal);
  return (found?.IPAM.Config ?? []).map(({ Subnet }) => Subnet);
}

async function removeNetwork(
  { client, inventory }: EngineParts,
  uid: string,
  signal: AbortSignal,
): Promise<void> {
  const networks = await inventory.networks({ [labelOf.network]: uid }, signal);
  for (const { Id } of networks) {
    const members = await inventory.containers({ [membershipLabel(uid)]: "" }, signal);
    if (members.length > 0) {
      throw new RuntimeError("refused", "NetworkInUse", `${members.length} containers are in the network`);
    }
    const removal = client.send("DELETE", `/networks/${Id}`, {}, signal);
    await refusedAs("NetworkInUse", unlessRefused([404], removal));
  }
}

/** Docker 28 drops what others send to a container, unless it published the port: our table decides. */
const openToOurTable = Object.fromEntries(
  ["ipv4", "ipv6"].map((family) => [`com.docker.network.bridge.gateway_mode_${family}`, "nat-unprotected"]),
);

/** Names of Linux interfaces have at most 15 characters. */
export function bridgeName(platform: string, uid: string): string {
  return `td${createHash("sha256").update(`${platform}/${uid}`).digest("hex").slice(0, 12)}`;
}
