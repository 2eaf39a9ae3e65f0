import { type Child, startChild } from "../../../scripts/servers/child.ts";
import type { NetworkNamespace } from "./network-namespace.ts";

export type Place = Omit<NetworkNamespace, keyof AsyncDisposable>;

/** Addresses of what is behind the uplink, in both families. */
export const outside = {
  public: ["198.20.0.1", "2600::1"],
  denied: ["198.20.0.2", "2600::2"],
  private: ["10.20.0.1", "fd77::1"],
  allowed: ["10.30.0.1", "fd78::1"],
} as const;
/** The machine's own addresses at it. */
export const uplink = ["198.20.0.254", "2600::fe"] as const;
/** Another one of the machine, for ports of instances. */
export const externalAddress = "198.20.0.253";
/** Of services that give machines their credentials. */
export const metadata = ["169.254.169.254", "fd00:ec2::254"] as const;

/** Connects a machine with what is outside; the metadata addresses are the machine's own. */
export async function connectUplink(machine: Place, beyond: Place): Promise<void> {
  const link = ["ip", "link", "add", "up0", "type", "veth", "peer", "name", "down0"];
  await machine.run(...link, "netns", String(beyond.pid));
  const add = (place: Place, device: string, address: string) =>
    place.run("ip", "address", "add", address, "dev", device, ...(address.includes(":") ? ["nodad"] : []));
  await add(machine, "up0", `${uplink[0]}/24`);
  await add(machine, "up0", `${externalAddress}/24`);
  await add(machine, "up0", `${uplink[1]}/64`);
  await add(machine, "lo", `${metadata[0]}/32`);
  await add(machine, "lo", `${metadata[1]}/128`);
  for (const pair of Object.values(outside)) {
    await add(beyond, "down0", `${pair[0]}/24`);
    await add(beyond, "down0", `${pair[1]}/64`);
  }
  await machine.run("ip", "link", "set", "up0", "up");
  await beyond.run("ip", "link", "set", "down0", "up");
  for (const family of [0, 1] as const) {
    const version = family === 0 ? "-4" : "-6";
    await machine.run("ip", version, "route", "add", "default", "via", outside.public[family]);
    await beyond.run("ip", version, "route", "add", "default", "via", uplink[family]);
  }
}

/** A server of a folder's files on all addresses of a place. */
export async function serveFiles(place: Place, busybox: string, folder: string, port = 80): Promise<Child> {
  const [program, ...first] = place.prefix;
  const args = [...first, busybox, "httpd", "-f", "-p", String(port), "-h", folder];
  return await startChild({ name: "httpd", program, args });
}
