/**
 * The machine of the workloads, as its operator sees it: this process's network namespace with an uplink, an engine, and
 * what is found in it of the attacks.
 */
import { stat } from "node:fs/promises";
import { request } from "node:http";
import { findServers } from "../../scripts/servers/find.ts";
import { sleep } from "../../src/base/core/clock.ts";
import type { Releasers } from "../../src/base/core/service.ts";
import { labelOf } from "../../src/platform/provider/engine/labels.ts";
import { engineContents } from "../faults/compute/engine-contents.ts";
import { httpsRequest } from "../support/plane/platform.ts";
import { type RunningEngine, startEngine } from "../support/provider/engine.ts";
import { namespaceOf, startNetworkNamespace } from "../support/provider/network-namespace.ts";
import {
  connectUplink,
  externalAddress,
  metadata,
  outside,
  serveFiles,
  uplink,
} from "../support/provider/uplink.ts";
import { until } from "../support/until.ts";
import type { HonestRequest } from "./honest-member.ts";
import { honestProject, hostileProject } from "./scene.ts";
import {
  attacks,
  type Cell,
  type Collection,
  cellMark,
  collectionUrl,
  imageNames,
  images,
  instanceOf,
  location,
  networkOf,
  targetsOf,
  workloadOf,
} from "./workloads.ts";

const never = new AbortController().signal;
/** Of a caller of the honest workload. */
const visitLimitMs = 5_000;
/** Twice 10 MiB, and what was written since the last look. */
const maxLogBytes = 25 * 2 ** 20;
/** What is left of the hostile project is gone this long after its last workload was deleted. */
const removalLimitMs = 120_000;

/** A row of the proof's table. */
export type Check = readonly [what: string, isGood: boolean, figure: string];

export interface Machine {
  readonly podman: RunningEngine;
  /** The daemon's section `provider`. */
  readonly provider: object;
  /** Starts the honest workload and a harmless one of the hostile project. */
  prepare(access: ProjectAccess): Promise<void>;
  /** Starts the hostile workloads; resolves when their containers run. */
  attack(access: ProjectAccess): Promise<void>;
  /** Calls the honest workload from the machine and from outside, until the signal; notes the size of the flooded log. */
  visits(signal: AbortSignal): Promise<HonestRequest[]>;
  /** What the containers have found out, and what the machine still holds of them. */
  evidence(access: ProjectAccess): Promise<Check[]>;
  /** Deletes the hostile workloads, and waits until nothing of them is left. */
  removal(access: ProjectAccess): Promise<Check>;
}

/** The platform's address, and bearer tokens of both members. */
export interface ProjectAccess {
  readonly url: string;
  readonly honest: string;
  readonly hostile: string;
}

export async function startMachine(folder: string, releasers: Releasers): Promise<Machine> {
  const { busybox } = await findServers(["busybox"], { install: false });
  const machine = namespaceOf(process.pid);
  const beyond = await startNetworkNamespace();
  releasers.push(() => beyond[Symbol.asyncDispose]());
  await connectUplink(machine, beyond);
  for (const place of [machine, beyond]) {
    const server = await serveFiles(place, busybox.path, folder);
    releasers.push(() => server.kill());
  }
  const podman = await startEngine();
  releasers.push(() => podman[Symbol.asyncDispose]());
  for (const [name, image] of imageNames) await podman.image(image, { command: images[name] ?? "" });

  const container = (workload: string, name: string) => containerId(podman, instanceOf(workload), name);
  /** Both addresses of a container, and of its network's gateway. */
  const places = async (workload: string) => {
    const format =
      "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{.GlobalIPv6Address}} {{.Gateway}} {{.IPv6Gateway}}{{end}}";
    const id = await container(workload, "web");
    const [ipv4 = "", ipv6 = "", ...gateways] = (await podman.cli("inspect", "--format", format, id))
      .trim()
      .split(" ");
    return { addresses: [ipv4, ipv6], gateways };
  };
  const logLines = async (name: keyof typeof attacks): Promise<string[]> => {
    const id = await container("attack", name);
    return (await podman.cli("logs", id)).split("\n");
  };
  let declared: readonly Cell[] = [];
  let logFile: string | undefined;
  /** Of the flooded log, as it was seen: the engine empties it from time to time. */
  let mostLogBytes = 0;

  return {
    podman,
    provider: {
      kind: "engine",
      cloudProjectId: "local",
      engine: { socket: podman.socket, pull: "never", externalAddresses: [externalAddress] },
    },
    async prepare({ url, honest, hostile }) {
      const declare = async (project: string, bearer: string, name: string): Promise<void> => {
        const isOpen = project === honestProject;
        await create(url, project, bearer, "locations", location);
        await create(url, project, bearer, "networks", networkOf("default"));
        await create(url, project, bearer, "workloads", workloadOf(name, ["web"], { isOpen }));
        const target = `${collectionUrl(url, project, "instances")}/${instanceOf(name)}`;
        await until(
          `${name} of ${project} runs`,
          async () => {
            const { json } = await httpsRequest(target, { bearer });
            const reasons = json?.status?.conditions ?? [];
            return reasons.some(({ reason }: { reason: string }) => reason === "InstanceIsRunning");
          },
          60_000,
        );
      };
      await declare(honestProject, honest, "site");
      await declare(hostileProject, hostile, "decoy");
    },
    async attack({ url, hostile }) {
      const [site, decoy] = [await places("site"), await places("decoy")];
      const rows: readonly (readonly [string, readonly string[], number, boolean])[] = [
        ["its-own-network", decoy.addresses, 8080, true],
        ["a-public-server", outside.public, 80, true],
        ["another-project's-open-port", site.addresses, 8080, false],
        ["another-project's-published-port", [externalAddress], 8080, false],
        ["the-machine-as-its-gateway", decoy.gateways, 80, false],
        ["the-machine-as-another's-gateway", site.gateways, 80, false],
        ["the-machine-at-its-uplink", uplink, 80, false],
        ["the-metadata-service", metadata, 80, false],
        ["a-private-server", outside.private, 80, false],
      ];
      declared = rows.flatMap(([name, addresses, port, isOpen]) =>
        addresses.map((address) => ({
          name: `${name}${address.includes(":") ? "-ipv6" : ""}`,
          ...{ address, port, isOpen },
        })),
      );
      const bodies = [
        workloadOf("attack", Object.keys(attacks), { env: targetsOf(declared) }),
        workloadOf("filler", ["disk"]),
      ];
      for (const body of bodies) await create(url, hostileProject, hostile, "workloads", body);
      const started = (name: keyof typeof attacks) =>
        logLines(name).then(
          (lines) => lines.length > 1,
          () => false,
        );
      await until(
        "the hostile containers run",
        async () => (await started("addresses")) && (await started("restarts")),
        60_000,
      );
      const log = await container("attack", "log");
      logFile = (await podman.cli("inspect", "--format", "{{.HostConfig.LogConfig.Path}}", log)).trim();
    },
    async visits(signal) {
      const { addresses } = await places("site");
      const visits: HonestRequest[] = [];
      const visit = async (ask: () => Promise<number>): Promise<void> => {
        const atMs = Date.now();
        const code = await ask().catch(() => 0);
        visits.push({ atMs, forMs: Date.now() - atMs, code });
      };
      const fromOutside = [
        ...["sh", "-c"],
        `echo "GET / HTTP/1.0" | ${busybox.path} nc -w 5 ${externalAddress} 8080 | grep -q "^HTTP/1.. 200"`,
      ];
      for (let count = 0; !signal.aborted; count++) {
        if (count % 4 === 0) await visit(() => beyond.run(...fromOutside).then(() => 200));
        else await visit(() => get(addresses[count % 2] ?? ""));
        const logBytes =
          logFile === undefined
            ? 0
            : await stat(logFile).then(
                ({ size }) => size,
                () => 0,
              );
        mostLogBytes = Math.max(mostLogBytes, logBytes);
        await sleep(250, signal).catch(() => undefined);
      }
      return visits;
    },
    async evidence({ url, hostile }) {
      const found = new Map<string, number[]>();
      for (const line of await logLines("addresses")) {
        const [mark, name = "", outcome] = line.split(" ");
        if (mark !== cellMark) continue;
        const [tries = 0, open = 0] = found.get(name) ?? [];
        found.set(name, [tries + 1, open + (outcome === "open" ? 1 : 0)]);
      }
      const cells = declared.map(({ name, address, port, isOpen }): Check => {
        const [tries = 0, open = 0] = found.get(name) ?? [];
        // What is open may be late; what is closed is never open.
        const isRight = tries >= 2 && (isOpen ? open > 0 : open === 0);
        const what = `workload -> ${name.replaceAll("-", " ")} (${address}:${port}), ${isOpen ? "open" : "closed"}`;
        return [what, isRight, `reached ${open} times of ${tries}`];
      });
      const countOf = async (name: keyof typeof attacks, pattern: RegExp) =>
        (await logLines(name)).filter((line) => pattern.test(line)).length;
      const [refusals, floods] = [
        await countOf("processes", /can't fork/),
        await countOf("processes", /all processes/),
      ];
      const killed = await countOf("memory", /^ended 137/);
      const used = await countOf("memory", /^ended 0/);
      const starts = await countOf("restarts", /^started/);
      const filler = `${collectionUrl(url, hostileProject, "instances")}/${instanceOf("filler")}`;
      let reason = "";
      await until(
        "the instance that fills the disk is stopped",
        async () => {
          const { json } = await httpsRequest(filler, { bearer: hostile });
          reason = String(json?.status?.conditions?.[0]?.reason);
          return reason === "DiskLimitExceeded";
        },
        60_000,
      ).catch(() => undefined);
      return [
        ...cells,
        ["a fork bomb within its limit", refusals > 0 && floods === 0, `${refusals} forks refused`],
        ["memory within its limit", killed > 0 && used === 0, `killed ${killed} times`],
        ["a container that ends at once", starts >= 2 && starts <= 30, `started ${starts} times`],
        [
          "a flooded log",
          mostLogBytes > 2 ** 20 && mostLogBytes <= maxLogBytes,
          `at most ${Math.round(mostLogBytes / 2 ** 20)} MiB on the machine's disk`,
        ],
        ["a disk beyond its size", reason === "DiskLimitExceeded", reason],
      ];
    },
    async removal({ url, hostile }) {
      const workloads = collectionUrl(url, hostileProject, "workloads");
      const { json } = await httpsRequest(workloads, { bearer: hostile });
      for (const { metadata } of json.items)
        await httpsRequest(`${workloads}/${metadata.name}`, { method: "DELETE", bearer: hostile });
      let left: string[] = [];
      const sinceMs = Date.now();
      await until(
        "nothing of the hostile workloads is left",
        async () => {
          const { containers, networks, volumes } = await engineContents(podman);
          const hostileOnes = containers.filter(({ title }) => !title.includes(instanceOf("site")));
          left = [
            ...hostileOnes.map(({ title }) => title),
            // One is the honest project's.
            ...networks.slice(1).map((uid) => `network ${uid}`),
            ...volumes.map((uid) => `volume ${uid}`),
          ];
          if (left.length > 0) await sleep(1_000, never);
          return left.length === 0;
        },
        removalLimitMs,
      ).catch(() => undefined);
      const figure =
        left.length === 0 ? `after ${Math.round((Date.now() - sinceMs) / 1_000)} s` : left.join();
      return ["nothing of the hostile workloads is left in the engine", left.length === 0, figure];
    },
  };
}

/** @throws if there is none, or more than one */
async function containerId(podman: RunningEngine, instance: string, name: string): Promise<string> {
  const filters = [`${labelOf.name}=default/${instance}`, `${labelOf.container}=${name}`];
  const args = filters.flatMap((filter) => ["--filter", `label=${filter}`]);
  const ids = (await podman.cli("ps", "--all", "--quiet", "--no-trunc", ...args)).trim().split("\n");
  if (ids.length !== 1 || ids[0] === "")
    throw new Error(`${ids.length} containers are ${name} of ${instance}`);
  return ids[0] ?? "";
}

/** @throws unless it is created */
async function create(
  url: string,
  project: string,
  bearer: string,
  plural: Collection,
  body: object,
): Promise<void> {
  const target = collectionUrl(url, project, plural);
  const { code, text } = await httpsRequest(target, { method: "POST", bearer, body });
  if (code !== 201) throw new Error(`${plural} of ${project}: ${code} ${text}`);
}

/** @returns the status of a response */
function get(address: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { host: address, port: 8080, agent: false, timeout: visitLimitMs };
    const sent = request(options, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("timeout", () => sent.destroy(new Error("no response in time")));
    sent.on("error", reject);
    sent.end();
  });
}
