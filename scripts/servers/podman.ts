import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { tableName } from "../../src/platform/provider/engine/firewall/firewall-table.ts";
import { labelOf } from "../../src/platform/provider/engine/labels.ts";
import {
  type Cli,
  cliOf,
  type EngineOptions,
  endProcessesOf,
  type RunningEngine,
  runEngine,
  startService,
} from "./engine.ts";
import { findServers } from "./find.ts";

const run = promisify(execFile);

/** Starts a Podman with containers, networks and images of its own; needs root. */
export async function startPodman(options: EngineOptions = {}): Promise<RunningEngine> {
  const signal = options.signal ?? new AbortController().signal;
  const programs = await findServers(["podman", "busybox"], { signal });
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-podman-"));
  const socket = join(folder, "podman.sock");
  options.onFolder?.(folder);
  const env = { ...programs.podman.env, ...settingsIn(folder) };
  await writeFile(env.CONTAINERS_CONF, containersConf(folder));
  await writeFile(env.CONTAINERS_STORAGE_CONF, storageConf(folder));
  await writeFile(env.CONTAINERS_REGISTRIES_CONF, registriesConf(options.plainRegistry));

  const cli = cliOf([...(options.prefix ?? []), programs.podman.path], env, options.commandLimitMs);
  const parts = { options, env, folder };
  const command = [programs.podman.path, "system", "service", "--time=0", `unix://${socket}`];
  return await runEngine("podman", {
    ...{ ...parts, socket, cli, busybox: programs.busybox.path },
    launch: () => startService(parts, "podman", command),
    async remove(service) {
      await service.stop();
      await removeAll(cli, folder);
    },
  });
}

/** Removes what a Podman of an earlier process has left, whose service has ended. @param folder see `onFolder` */
export async function removeLeftPodman(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const { podman } = await findServers(["podman"], { install: false });
  await removeAll(cliOf([podman.path], { ...podman.env, ...settingsIn(folder) }), folder);
}

/** Environment of a Podman whose files are all in one folder. */
function settingsIn(folder: string) {
  return {
    CONTAINERS_CONF: join(folder, "containers.conf"),
    CONTAINERS_STORAGE_CONF: join(folder, "storage.conf"),
    CONTAINERS_REGISTRIES_CONF: join(folder, "registries.conf"),
    TMPDIR: folder,
  };
}

async function removeAll(cli: Cli, folder: string): Promise<void> {
  // A container whose network others have joined goes after them: in the second round.
  await cli("rm", "--all", "--force", "--time", "0").catch(() => undefined);
  await cli("rm", "--all", "--force", "--time", "0");
  await removeTables(cli);
  await cli("network", "prune", "--force");
  await cli("volume", "prune", "--force");
  // One that was killed while it started a container does not know of its process any more.
  endProcessesOf(/^\S*conmon /, folder);
  await removeStaleRules();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** What a machine without systemd needs; the limits are those that any root may set. */
function containersConf(folder: string): string {
  return [
    "[engine]",
    'cgroup_manager = "cgroupfs"',
    'runtime = "runc"',
    'events_logger = "file"',
    `tmp_dir = "${join(folder, "tmp")}"`,
    "[containers]",
    'default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]',
    "[network]",
    `network_config_dir = "${join(folder, "networks")}"`,
    "",
  ].join("\n");
}

function storageConf(folder: string): string {
  const [graph, state] = [join(folder, "graph"), join(folder, "run")];
  return `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${state}"\n`;
}

/** The firewall of a provider that was ended before it removed its networks. */
async function removeTables(cli: Cli): Promise<void> {
  const labels = await cli("network", "ls", "--format", "{{.Labels}}");
  const platforms = labels.matchAll(new RegExp(`${labelOf.platform.replace(".", "\\.")}=([\\w-]+)`, "g"));
  for (const platform of new Set([...platforms].map(([, name = ""]) => name))) {
    for (const family of ["inet", "bridge"]) {
      await run("nft", ["delete", "table", family, tableName(platform)]).catch(() => undefined);
    }
  }
}

/** Netavark 1.4 leaves rules of the firewall behind for each isolated network: those without a bridge go. */
async function removeStaleRules(): Promise<void> {
  const listed = await run("iptables", ["--wait", "-S"]).catch(() => undefined);
  for (const line of listed?.stdout.split("\n") ?? []) {
    const bridge = /^-A NETAVARK_ISOLATION_[12] -[io] (\S+) /.exec(line)?.[1];
    if (bridge === undefined || existsSync(`/sys/class/net/${bridge}`)) continue;
    const rule = line.replace("-A", "-D").split(" ");
    // Another run may have removed it.
    await run("iptables", ["--wait", ...rule]).catch(() => undefined);
  }
}

function registriesConf(plain: string | undefined): string {
  return plain === undefined ? "" : `[[registry]]\nlocation = "${plain}"\ninsecure = true\n`;
}
