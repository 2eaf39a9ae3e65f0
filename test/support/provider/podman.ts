import { randomInt } from "node:crypto";
import { findServers } from "../servers.ts";

export type { RunningEngine } from "../../../scripts/servers/engine.ts";
export { startPodman } from "../../../scripts/servers/podman.ts";

/**
 * @throws if containers cannot be run here, with what helps: `npm run servers -- podman nft busybox`, as root
 */
export async function requirePodman(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("containers need root");
  await findServers(["podman", "nft", "busybox"], { install: false });
}

/** A subnet of its own for each network of each test run on the machine: `10.a.b.0/24`. */
export function randomSubnet(): { readonly cidr: string; address(host: number): string } {
  // Chosen by chance among 20,000: runs beside each other do not ask each other.
  const prefix = `10.${randomInt(170, 250)}.${randomInt(0, 256)}`;
  return { cidr: `${prefix}.0/24`, address: (host) => `${prefix}.${host}` };
}

/** A range for a platform's network, of the size of one subnet; apart from those of {@link randomSubnet}. */
export function randomRange(): string {
  return `10.${randomInt(150, 170)}.${16 * randomInt(0, 16)}.0/20`;
}

/** A range for the networks of a platform, of the size of 16 subnets; apart from those of the others. */
export function randomWideRange(): string {
  return `10.${randomInt(129, 150)}.0.0/16`;
}
