import { isIP } from "node:net";
import {
  addressesOf,
  type MachineVolume,
  type RuntimeInstance,
  type RuntimeMachine,
} from "../../runtime/runtime.ts";
import { macAddress } from "./machine-script.ts";

/** A volume that the guest mounts. */
export type GuestMount = MachineVolume & { readonly path: string };

/**
 * The files by which cloud-init (NoCloud) sets a guest up: its name, who may log in, what it mounts, and its
 * networks, by DHCP. Without a word, cloud-init asks for IPv4 on the first one.
 *
 * @param mounts parents before children
 */
export function seedFiles(
  { uid, hostname, networks }: Pick<RuntimeInstance, "uid" | "hostname" | "networks">,
  users: RuntimeMachine["users"],
  mounts: readonly GuestMount[],
): Readonly<Record<string, string>> {
  const mounted = mounts.map(({ kind, device, path }) => {
    const source = `/dev/disk/by-id/virtio-${device}`;
    const options = kind === "files" ? ["iso9660", "ro,nofail"] : ["auto", "defaults,nofail"];
    return [source, path, ...options, "0", "0"];
  });
  const config = {
    disable_root: !users.has("root"),
    users: [...users].map(([name, keys]) => ({
      name,
      ssh_authorized_keys: keys,
      ...(name === "root" ? {} : { sudo: "ALL=(ALL) NOPASSWD:ALL", shell: "/bin/bash" }),
    })),
    ...(mounted.length === 0 ? {} : { mounts: mounted }),
  };
  return {
    // JSON is YAML.
    "user-data": `#cloud-config\n${JSON.stringify(config, undefined, 1)}\n`,
    "meta-data": `instance-id: ${uid}\nlocal-hostname: ${hostname}\n`,
    ...(networks.length > 1 || networks.some(hasIPv6)
      ? { "network-config": `${JSON.stringify(networkConfig(networks), undefined, 1)}\n` }
      : {}),
  };
}

type Attachments = RuntimeInstance["networks"];

/** Networking config version 2 of cloud-init: everything else is behind the first network. */
function networkConfig(networks: Attachments): object {
  const ethernets = networks.map((network, index) => [
    `network${index}`,
    {
      match: { macaddress: macAddress(index) },
      ...(isIP(network.address) === 4 ? { dhcp4: true } : {}),
      ...(hasIPv6(network) ? { dhcp6: true } : {}),
      ...(index === 0 ? {} : { "dhcp4-overrides": { "route-metric": 1_000 + index }, optional: true }),
    },
  ]);
  return { version: 2, ethernets: Object.fromEntries(ethernets) };
}

function hasIPv6(network: Attachments[number]): boolean {
  return addressesOf(network).some((each) => isIP(each) === 6);
}
