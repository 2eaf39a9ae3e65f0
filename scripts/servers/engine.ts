import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Child, startChild, waitUntilReady } from "./child.ts";
import { allProcesses } from "./process-table.ts";

const run = promisify(execFile);

/** An engine of containers whose containers, networks and images are its own; needs root. */
export interface RunningEngine extends AsyncDisposable {
  /** Path of the Unix socket of Docker's API. */
  readonly socket: string;
  /** Pid of the current service; a restart changes it. */
  readonly pid: number;
  /** Environment of its commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs `podman` or `docker` with it. @returns standard output @throws when the exit status is not 0 */
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

export interface EngineOptions {
  /** Called with the folder that holds everything, before anything is started. */
  readonly onFolder?: (folder: string) => void;
  /** Called for each process of the service, restarts included. */
  readonly onStart?: (pid: number) => void;
  /** Host with port of a registry that it asks by plain HTTP. */
  readonly plainRegistry?: string;
  /** Comes before each of its commands: for a network namespace of its own. */
  readonly prefix?: readonly string[];
  /** File with the system calls that Docker permits to containers; default: its own. */
  readonly seccompProfile?: string;
  readonly logFile?: string;
  readonly ownGroup?: boolean;
  /** Time limit of a command; default: 1 min. */
  readonly commandLimitMs?: number | undefined;
  readonly signal?: AbortSignal;
}

export type Cli = (...args: string[]) => Promise<string>;

const applets = ["sh", "httpd", "sleep", "cat", "ls", "wget", "nc", "id", "ip", "hostname", "env", "touch"];
const serve = "exec httpd -f -p 8080 -h /www";

/** @param command the program with its first arguments */
export function cliOf(
  [program = "", ...first]: readonly string[],
  env: Readonly<Record<string, string>>,
  timeout = 60_000,
): Cli {
  return async (...args) => {
    const { stdout } = await run(program, [...first, ...args], {
      ...{ timeout, maxBuffer: 16 * 2 ** 20 },
      env: { ...process.env, ...env },
    });
    return stdout;
  };
}

/** What the two engines run alike. */
export interface EngineParts extends Pick<RunningEngine, "socket" | "env" | "cli"> {
  readonly options: EngineOptions;
  /** Holds everything of it. */
  readonly folder: string;
  /** Path of the program that {@link RunningEngine.image} is made of. */
  readonly busybox: string;
  /** Starts the service; see {@link startService}. */
  launch(): Promise<Child>;
  /** Ends the service and removes everything. */
  remove(service: Child): Promise<void>;
}

/** Starts a program of an engine, with the engine's environment, in its folder. */
export async function startService(
  { options, env, folder }: Pick<EngineParts, "options" | "env" | "folder">,
  name: string,
  command: readonly string[],
): Promise<Child> {
  const [program = "", ...args] = [...(options.prefix ?? []), ...command];
  return await startChild({
    ...{ name, program, args, env, cwd: folder },
    ...(options.ownGroup === undefined ? {} : { ownGroup: options.ownGroup }),
    ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
    ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
  });
}

/** Starts an engine's service; it is ready when it responds. */
export async function runEngine(name: string, parts: EngineParts): Promise<RunningEngine> {
  const { socket, env, cli, options, folder, busybox, remove } = parts;
  const signal = options.signal ?? new AbortController().signal;
  const launch = async (): Promise<Child> => {
    await rm(socket, { force: true });
    const service = await parts.launch();
    await waitUntilReady(name, service, () => responds(socket), 30_000, signal);
    return service;
  };
  let service = await launch();
  let isDisposed = false;
  return {
    socket,
    get pid() {
      return service.pid;
    },
    env,
    cli,
    image: (image, how) => importImage(cli, busybox, folder, image, how),
    async kill() {
      await service.kill();
    },
    async restart() {
      await service.stop();
      service = await launch();
    },
    async [Symbol.asyncDispose]() {
      if (isDisposed) return;
      isDisposed = true;
      await remove(service);
    },
  };
}

/** See {@link RunningEngine.image}. @param folder for its files, which are removed */
async function importImage(
  cli: Cli,
  busybox: string,
  folder: string,
  name: string,
  { command = serve, program = ["sh", "-c", command], labels = [] }: ImageOptions = {},
): Promise<void> {
  const root = await mkdtemp(join(folder, "image-"));
  await mkdir(join(root, "bin"));
  for (const name of ["www", "tmp", "etc"]) await mkdir(join(root, name));
  await copyFile(busybox, join(root, "bin", "busybox"));
  for (const applet of applets) await symlink("busybox", join(root, "bin", applet));
  await writeFile(join(root, "www", "index.html"), "hello\n");
  await run("tar", ["-C", root, "-cf", `${root}.tar`, "."]);
  const changes = [`CMD ${JSON.stringify(program)}`, ...labels.map((label) => `LABEL ${label}`)];
  await cli("import", ...changes.flatMap((change) => ["--change", change]), `${root}.tar`, name);
  await rm(`${root}.tar`);
  await rm(root, { recursive: true });
}

/** Ends the processes of a program that have a path below the folder in their commands, with their children. */
export function endProcessesOf(program: RegExp, folder: string): void {
  const processes = allProcesses();
  const found = processes.filter(({ command }) => program.test(command) && command.includes(`${folder}/`));
  const pids = new Set(found.map(({ pid }) => pid));
  for (const { pid } of processes.filter(({ pid, parentPid }) => pids.has(pid) || pids.has(parentPid))) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended meanwhile.
    }
  }
}

/** Whether the service at the socket responds. */
async function responds(socketPath: string): Promise<boolean> {
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
