import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Child, startChild, waitUntilReady } from "./child.ts";
import {
  answers,
  cliOf,
  type EngineOptions,
  endProcessesOf,
  importImage,
  type RunningEngine,
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
  const client = { DOCKER_HOST: `unix://${socket}`, DOCKER_CONFIG: config, DOCKER_BUILDKIT: "1" };
  const env = { ...programs.dockerd.env, ...client, PATH: path };
  await mkdir(config);
  const settings = join(folder, "daemon.json");
  const registries = options.plainRegistry === undefined ? [] : [options.plainRegistry];
  await writeFile(settings, JSON.stringify({ "insecure-registries": registries }));
  const networks = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"];

  const prefix = options.prefix ?? [];
  const cli = cliOf([...prefix, join(sbin, "../bin/docker")], env, options.commandLimitMs);
  const [program = "", ...args] = [
    ...[...prefix, programs.dockerd.path, "--host", `unix://${socket}`, "--config-file", settings],
    ...["--data-root", join(folder, "data"), "--exec-root", join(folder, "exec")],
    ...["--pidfile", join(folder, "docker.pid"), "--live-restore"],
    ...(options.isWithoutNetworks === true ? networks : []),
  ];
  const launch = async (): Promise<Child> => {
    await rm(socket, { force: true });
    await rm(join(folder, "docker.pid"), { force: true });
    const child = await startChild({
      ...{ name: "docker", program, args, env, cwd: folder },
      ...(options.ownGroup === undefined ? {} : { ownGroup: options.ownGroup }),
      ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
    });
    await waitUntilReady("docker", child, () => answers(socket), 30_000, signal);
    return child;
  };

  let child = await launch();
  let isDisposed = false;
  return {
    socket,
    get pid() {
      return child.pid;
    },
    env,
    cli,
    image: (name, image) => importImage(cli, programs.busybox.path, folder, name, image),
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
      endProcessesOf(/containerd/, folder);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
