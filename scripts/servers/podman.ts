import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { tableName } from "../../src/platform/provider/engine/firewall/firewall-table.ts";
import { labelOf } from "../../src/platform/provider/engine/labels.ts";
import { type Child, startChild, waitUntilReady } from "./child.ts";
import { findServers } from "./find.ts";
import { allProcesses } from "./process-table.ts";

const run = promisify(execFile);

/** A Podman with containers, networks and images of its own; needs root. */
export interface RunningPodman extends AsyncDisposable {
  /** Path of the Unix socket of its Docker-compatible API. */
  readonly socket: string;
  /** Pid of the current service; a restart changes it. */
  readonly pid: number;
  /** Runs `podman` with its storage. @returns standard output @throws when the exit status is not 0 */
  cli(...args: string[]): Promise<string>;
  /**
   * Makes an image of busybox without a registry, such as `registry.example/web:1`. Its command serves `/www`
   * on port 8080, or is `command` in a shell.
   */
  image(name: string, options?: ImageOptions): Promise<void>;
  /** Ends the service with SIGKILL; its containers run on. */
  kill(): Promise<void>;
  /** Starts the service again. */
  restart(): Promise<void>;
  /** Removes all of its containers and networks, then itself. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ImageOptions {
  readonly command?: string;
  /** Instead of `command`: a program with its arguments. */
  readonly program?: readonly string[];
  /** `name=value` of the image's labels. */
  readonly labels?: readonly string[];
}

export interface PodmanOptions {
  /** Called with the folder that holds everything, before anything is started. */
  readonly onFolder?: (folder: string) => void;
  /** Called for each process of the service, restarts included. */
  readonly onStart?: (pid: number) => void;
  /** Host with port of a registry that it asks by plain HTTP. */
  readonly plainRegistry?: string;
  /** Comes before each of its commands: for a network namespace of its own. */
  readonly prefix?: readonly string[];
  readonly logFile?: string;
  readonly ownGroup?: boolean;
  readonly signal?: AbortSignal;
}

const applets = ["sh", "httpd", "sleep", "cat", "ls", "wget", "nc", "id", "ip", "hostname", "env", "touch"];
const serve = "exec httpd -f -p 8080 -h /www";
const cliLimitMs = 60_000;

export async function startPodman(options: PodmanOptions = {}): Promise<RunningPodman> {
  const signal = options.signal ?? new AbortController().signal;
  const programs = await findServers(["podman", "busybox"], { signal });
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-podman-"));
  const socket = join(folder, "podman.sock");
  options.onFolder?.(folder);
  const env = { ...programs.podman.env, ...settingsIn(folder) };
  await writeFile(env.CONTAINERS_CONF, containersConf(folder));
  await writeFile(env.CONTAINERS_STORAGE_CONF, storageConf(folder));
  await writeFile(env.CONTAINERS_REGISTRIES_CONF, registriesConf(options.plainRegistry));

  const [program = "podman", ...first] = [...(options.prefix ?? []), programs.podman.path];
  const cli = cliOf([program, ...first], env);

  const launch = async (): Promise<Child> => {
    await rm(socket, { force: true });
    const child = await startChild({
      name: "podman",
      program,
      args: [...first, "system", "service", "--time=0", `unix://${socket}`],
      env,
      cwd: folder,
      ...(options.ownGroup === undefined ? {} : { ownGroup: options.ownGroup }),
      ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
    });
    await waitUntilReady("podman", child, () => answers(socket), 30_000, signal);
    return child;
  };

  let child = await launch();
  let isDisposed = false;
  return {
    socket,
    get pid() {
      return child.pid;
    },
    cli,
    async image(name, { command = serve, program = ["sh", "-c", command], labels = [] } = {}) {
      const root = await mkdtemp(join(folder, "image-"));
      await mkdir(join(root, "bin"));
      for (const name of ["www", "tmp", "etc"]) await mkdir(join(root, name));
      await copyFile(programs.busybox.path, join(root, "bin", "busybox"));
      for (const applet of applets) await symlink("busybox", join(root, "bin", applet));
      await writeFile(join(root, "www", "index.html"), "hello\n");
      await run("tar", ["-C", root, "-cf", `${root}.tar`, "."]);
      const changes = [`CMD ${JSON.stringify(program)}`, ...labels.map((label) => `LABEL ${label}`)];
      await cli("import", ...changes.flatMap((change) => ["--change", change]), `${root}.tar`, name);
      await rm(`${root}.tar`);
      await rm(root, { recursive: true });
    },
    async kill() {
      await child.kill();
    },
    async restart() {
      await child.stop();
      child = await launch();
    },
    async [Symbol.asyncDispose]() {
      if (isDisposed) return;
      isDisposed = true;
      await child.stop();
      await removeAll(cli, folder);
    },
  };
}

/** Removes what a Podman of an earlier process has left, whose service has ended. @param folder see `onFolder` */
export async function removeLeftPodman(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const { podman } = await findServers(["podman"], { install: false });
  await removeAll(cliOf([podman.path], { ...podman.env, ...settingsIn(folder) }), folder);
}

type Cli = (...args: string[]) => Promise<string>;

/** @param command the program with its first arguments */
function cliOf(
  [program = "podman", ...first]: readonly string[],
  env: Readonly<Record<string, string>>,
): Cli {
  return async (...args) => {
    const limits = { timeout: cliLimitMs, maxBuffer: 16 * 2 ** 20 };
    const { stdout } = await run(program, [...first, ...args], {
      ...limits,
      env: { ...process.env, ...env },
    });
    return stdout;
  };
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
  endLostContainers(folder);
  await removeStaleRules();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** A Podman that was killed while it started a container does not know of its process any more. */
function endLostContainers(folder: string): void {
  const processes = allProcesses();
  const monitors = processes.filter(
    ({ command }) => /^\S*conmon /.test(command) && command.includes(`${folder}/`),
  );
  const pids = new Set(monitors.map(({ pid }) => pid));
  const lost = processes.filter(({ pid, parentPid }) => pids.has(pid) || pids.has(parentPid));
  for (const { pid } of lost) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
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

async function answers(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const ping = request({ socketPath, path: "/_ping", timeout: 1_000, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on("timeout", () => ping.destroy());
    ping.on("error", () => resolve(false));
    ping.end();
  });
}
