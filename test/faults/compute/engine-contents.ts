import { labelOf } from "../../../src/platform/provider/engine/labels.ts";
import type { RunningEngine } from "../../support/provider/engine.ts";

/** A container that a provider has made, as Podman's command line shows it. */
export interface EngineContainer {
  /** Uid of the Instance. */
  readonly instance: string;
  /** `plane namespace/name container`, the same for every Instance of the name. */
  readonly title: string;
  readonly container: string;
  readonly isRunning: boolean;
  readonly version: string | undefined;
  /** In its networks, by uid of the NetworkContext; a container that joined another's has none. */
  readonly addresses: Readonly<Record<string, string>>;
}

export interface EngineContents {
  readonly containers: readonly EngineContainer[];
  /** Uids of the NetworkContexts. */
  readonly networks: readonly string[];
  /** Uids of the Instances. */
  readonly volumes: readonly string[];
  /** What no provider has made. */
  readonly others: readonly string[];
}

type Labels = Readonly<Record<string, string>> | null;

/** Everything that the engine holds, whether its service runs or not. */
export async function engineContents(podman: RunningEngine): Promise<EngineContents> {
  const [ids, networks, volumes] = await Promise.all([
    podman.cli("ps", "--all", "--quiet", "--no-trunc"),
    json<{ name: string; labels?: Labels }>(podman, "network", "ls", "--format", "json"),
    json<{ Name: string; Labels: Labels }>(podman, "volume", "ls", "--format", "json"),
  ]);
  const inspected =
    ids.trim() === "" ? [] : await json<Inspected>(podman, "container", "inspect", ...ids.trim().split("\n"));
  const containers = inspected.map(containerOf);
  const networkUids = networks.map(({ labels }) => labels?.[labelOf.network]);
  const volumeUids = volumes.map(({ Labels }) => Labels?.[labelOf.instance]);
  return {
    containers: containers.filter(({ instance }) => instance !== ""),
    networks: networkUids.filter((uid) => uid !== undefined),
    volumes: volumeUids.filter((uid) => uid !== undefined),
    others: [
      ...inspected
        .filter((_, index) => containers[index]?.instance === "")
        .map(({ Name }) => `container ${Name}`),
      ...networks.filter((_, index) => networkUids[index] === undefined).map(({ name }) => `network ${name}`),
      ...volumes.filter((_, index) => volumeUids[index] === undefined).map(({ Name }) => `volume ${Name}`),
    ].filter((other) => other !== "network podman"),
  };
}

/** Titles of containers that are there more than once at this moment. */
export async function twins(podman: RunningEngine): Promise<string[]> {
  const listed = await json<{ Labels: Labels }>(podman, "ps", "--all", "--format", "json");
  const titles = listed.map(({ Labels }) => titleOf(Labels));
  return [...new Set(titles.filter((title, index) => titles.indexOf(title) !== index))];
}

interface Inspected {
  readonly Name: string;
  readonly State: { readonly Running: boolean };
  readonly Config: { readonly Labels: Labels; readonly Env: readonly string[] };
  readonly NetworkSettings: { readonly Networks?: Readonly<Record<string, { readonly IPAddress: string }>> };
}

function containerOf({ State, Config, NetworkSettings }: Inspected): EngineContainer {
  const addresses: Record<string, string> = {};
  for (const [name, { IPAddress }] of Object.entries(NetworkSettings.Networks ?? {})) {
    addresses[name.replace("telemetryd-", "")] = IPAddress;
  }
  return {
    instance: Config.Labels?.[labelOf.instance] ?? "",
    title: titleOf(Config.Labels),
    container: Config.Labels?.[labelOf.container] ?? "",
    isRunning: State.Running,
    version: Config.Env.find((each) => each.startsWith("VERSION="))?.slice("VERSION=".length),
    addresses,
  };
}

function titleOf(labels: Labels): string {
  return [labelOf.plane, labelOf.name, labelOf.container].map((label) => labels?.[label]).join(" ");
}

async function json<T>(podman: RunningEngine, ...args: readonly string[]): Promise<T[]> {
  return JSON.parse((await podman.cli(...args)) || "[]") ?? [];
}
