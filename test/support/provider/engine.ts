import { randomInt } from "node:crypto";
import { startDocker } from "../../../scripts/servers/docker.ts";
import type { EngineOptions, RunningEngine } from "../../../scripts/servers/engine.ts";
import { startPodman } from "../../../scripts/servers/podman.ts";
import { findServers } from "../servers.ts";

export type { RunningEngine } from "../../../scripts/servers/engine.ts";

/** Whether the tests of containers run with Docker (`npm run prove -- docker`), and not with Podman. */
export const isDocker = process.env["TELEMETRYD_TEST_ENGINE"] === "docker";

/** @throws if containers cannot be run here, with what helps: root, or the missing server */
export async function requireEngine(): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error("containers need root");
  const engine = isDocker ? (["dockerd", "runc"] as const) : (["podman"] as const);
  await findServers([...engine, "nft", "busybox"], { install: false });
}

/** Starts an engine with containers, networks and images of its own. */
export async function startEngine(options: EngineOptions = {}): Promise<RunningEngine> {
  return await (isDocker ? startDocker : startPodman)(options);
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
