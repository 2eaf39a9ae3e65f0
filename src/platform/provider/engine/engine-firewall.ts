import { existsSync } from "node:fs";
import type { Logger } from "../../../base/log/log.ts";
import type { RuntimeInstance } from "../runtime/runtime.ts";
import { bridgeName } from "./engine-networks.ts";
import type { EngineParts } from "./engine-parts.ts";
import type { Engine } from "./engine-version.ts";
import { createDockerChains } from "./firewall/docker-chains.ts";
import { Firewall, type FirewallContent } from "./firewall/firewall.ts";
import type { FirewallNetwork } from "./firewall/firewall-table.ts";
import { createNft } from "./firewall/nft.ts";
import { labelOf } from "./labels.ts";
import type { PortRecord } from "./port-record.ts";
import { firstAddress } from "./specification.ts";

export interface FirewallSettings {
  /** `egress.deny`: ranges that no instance reaches. */
  readonly deny: readonly string[];
  /** `provider.engine.egress`: ranges that are not public and that instances reach. */
  readonly allow: readonly string[];
  /** Comes before the commands of the firewall: for an engine in a network namespace of its own. */
  readonly prefix?: readonly string[];
  /** Whether the machine has a network interface. */
  readonly hasInterface?: (name: string) => boolean;
}

/** The firewall of an engine's networks; what runs already comes from the engine's labels and the record of ports. */
export function openFirewall(
  { prefix, ...settings }: FirewallSettings,
  parts: Pick<EngineParts, "inventory" | "platform" | "clock"> & {
    readonly log: Logger;
    readonly ports: PortRecord;
  },
  engine: (signal: AbortSignal) => Promise<Engine>,
  onChange: () => void,
): Firewall {
  const { inventory, platform } = parts;
  const content = async (signal: AbortSignal): Promise<FirewallContent> => {
    const { isPodman } = await engine(signal);
    const networks = new Map<string, FirewallNetwork>();
    for (const { Labels, IPAM } of await inventory.networks({}, signal)) {
      const uid = Labels[labelOf.network];
      const subnets = (IPAM.Config ?? []).map(({ Subnet }) => Subnet);
      if (uid !== undefined) networks.set(uid, firewallNetwork(platform, { uid, subnets }));
    }
    return { isPodman, networks, ports: await parts.ports.read() };
  };
  const { clock, log } = parts;
  const programs = { nft: createNft(prefix), dockerChains: createDockerChains(prefix) };
  return new Firewall({ clock, log, platform, ...settings, ...programs, content, onChange });
}

export function firewallNetwork(
  platform: string,
  { uid, subnets }: { readonly uid: string; readonly subnets: readonly string[] },
): FirewallNetwork {
  return { bridge: bridgeName(platform, uid), gateways: subnets.map(firstAddress) };
}

/**
 * Whether the rules have reached what runs: with an engine in another network namespace, they are somewhere
 * else. Only a network in which a container runs has its bridge for sure.
 */
export function seesBridges(
  platform: string,
  { networks }: RuntimeInstance,
  { hasInterface = isInterface }: FirewallSettings,
): boolean {
  return networks.every(({ networkUid }) => hasInterface(bridgeName(platform, networkUid)));
}

function isInterface(name: string): boolean {
  return existsSync(`/sys/class/net/${name}`);
}
