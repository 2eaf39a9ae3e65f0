import { createHash } from "node:crypto";
import { RuntimeError, type RuntimeNetwork } from "../runtime/runtime.ts";
import { refusedAs, unlessRefused } from "./engine-client.ts";
import type { EngineParts } from "./engine-parts.ts";
import { labelOf, membershipLabel, networkName } from "./labels.ts";
import { firstAddress } from "./specification.ts";

/** A bridge. What passes between it and anything else is decided by the provider's own firewall. */
export async function ensureNetwork(
  { client, platform, inventory }: EngineParts,
  network: RuntimeNetwork,
  signal: AbortSignal,
): Promise<void> {
  const label = { [labelOf.network]: network.uid };
  const [found] = await inventory.networks(label, signal);
  if (found !== undefined) {
    const subnets = (found.IPAM.Config ?? []).map(({ Subnet }) => Subnet).sort();
    if (subnets.join() === [...network.subnets].sort().join()) return;
    throw new RuntimeError("refused", "NetworkDiffers", `the network has the subnets ${subnets.join(", ")}`);
  }
  const body = {
    Name: networkName(network.uid),
    Driver: "bridge",
    CheckDuplicate: true,
    EnableIPv6: network.subnets.some((subnet) => subnet.includes(":")),
    IPAM: { Config: network.subnets.map((Subnet) => ({ Subnet, Gateway: firstAddress(Subnet) })) },
    Options: {
      "com.docker.network.driver.mtu": String(network.mtu),
      "com.docker.network.bridge.name": bridgeName(platform, network.uid),
    },
    Labels: inventory.labels({ ...label, [labelOf.plane]: network.plane, [labelOf.name]: network.name }),
  };
  await refusedAs("NetworkRefused", client.send("POST", "/networks/create", { body }, signal));
}

/** @throws RuntimeError while containers are in it */
export async function removeNetwork(
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

/** Names of Linux interfaces have at most 15 characters. */
export function bridgeName(platform: string, uid: string): string {
  return `td${createHash("sha256").update(`${platform}/${uid}`).digest("hex").slice(0, 12)}`;
}
