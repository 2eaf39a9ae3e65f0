import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import {
  cliOf,
  type EngineOptions,
  endProcessesOf,
  type RunningEngine,
  runEngine,
  startService,
} from "./engine.ts";
import { findServers } from "./find.ts";

export interface DockerOptions extends EngineOptions {
  /**
   * Without networks but the machine's, it changes no firewall: it builds images. Otherwise give a `prefix`: it
   * takes over the forwarding of the network namespace that it runs in.
   */
  readonly isWithoutNetworks?: boolean;
}

/** Starts a Docker with containers, networks and images of its own; needs root. */
export async function startDocker(options: DockerOptions = {}): Promise<RunningEngine> {
  const signal = options.signal ?? new AbortController().signal;
  const programs = await findServers(["dockerd", "runc", "busybox"], { signal });
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-docker-"));
  const socket = join(folder, "docker.sock");
  options.onFolder?.(folder);
  const config = join(folder, "client");
  const sbin = dirname(programs.dockerd.path);
  const path = [join(sbin, "../bin"), sbin, dirname(programs.runc.path), process.env["PATH"]].join(":");
  const client = { DOCKER_HOST: `unix://${socket}`, DOCKER_CONFIG: config };
  const env = { ...programs.dockerd.env, ...client, PATH: path };
  await mkdir(config);
  const settings = join(folder, "daemon.json");
  const registries = options.plainRegistry === undefined ? [] : [options.plainRegistry];
  await writeFile(settings, JSON.stringify({ "insecure-registries": registries }));
  const networks = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"];

  const prefix = options.prefix ?? [];
  const cli = cliOf([...prefix, join(sbin, "../bin/docker")], env, options.commandLimitMs);
  const parts = { options, env, folder };
  // A service of its own, as Debian's unit has it: one that dockerd starts ends with it.
  const containerdFolder = join(folder, "containerd");
  const containerdSocket = join(containerdFolder, "containerd.sock");
  const containerd = await startService(parts, "containerd", [
    ...[join(sbin, "../bin/containerd"), "--address", containerdSocket],
    ...["--root", join(containerdFolder, "root"), "--state", join(containerdFolder, "state")],
  ]);
  const command = [
    ...[programs.dockerd.path, "--host", `unix://${socket}`, "--config-file", settings],
    ...["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")],
    ...["--containerd", containerdSocket, "--pidfile", join(folder, "docker.pid"), "--live-restore"],
    ...(options.isWithoutNetworks === true ? networks : []),
    ...(options.seccompProfile === undefined ? [] : ["--seccomp-profile", options.seccompProfile]),
  ];
  const removeContainers = async (): Promise<void> => {
    const ids = (await cli("ps", "--all", "--quiet")).split("\n").filter((id) => id !== "");
    if (ids.length > 0) await cli("rm", "--force", "--volumes", ...ids);
  };
  return await runEngine("docker", {
    ...{ ...parts, socket, cli, busybox: programs.busybox.path },
    async launch() {
      await rm(join(folder, "docker.pid"), { force: true });
      return await startService(parts, "docker", command);
    },
    async remove(service) {
      // With its service ended, its containers would run on.
      await removeContainers().catch(() => undefined);
      await service.stop();
      await containerd.stop();
      endProcessesOf(/containerd/, folder);
      await unmountBelow(prefix, folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  }).catch(async (error: unknown) => {
    await containerd.stop();
    throw error;
  });
}

/** A Docker that was killed has left its mounts. */
async function unmountBelow(prefix: readonly string[], folder: string): Promise<void> {
  const script =
    'while read -r _ path _; do case $path in "$1"/*) umount -l "$path" || true;; esac; done </proc/mounts';
  const [program = "", ...args] = [...prefix, "sh", "-c", script, "sh", folder];
  await promisify(execFile)(program, args);
}
