import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerName } from "./catalogue.ts";
import { type Child, startChild, waitUntilReady } from "./child.ts";
import { findServers } from "./find.ts";
import { freePort, isListening } from "./free-port.ts";

/** A real server on a loopback port, for a test, the demo or a benchmark. */
export interface RunningServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` or `redis://127.0.0.1:PORT`; a restart does not change it. */
  readonly url: string;
  readonly port: number;
  /** Pid of the current process; a restart changes it. */
  readonly pid: number;
  readonly dataDir: string;
  /** The end of the current process's output. */
  log(): string;
  signal(name: NodeJS.Signals): void;
  /** Stops it gracefully. The data remains for `restart`. */
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Stops it if it runs, and starts it with the same data on the same port. */
  restart(): Promise<void>;
  /** Stops it and removes its data, unless the caller named the folder. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Options common to all kinds of server. */
export interface CommonOptions {
  /** Further command-line flags. */
  readonly flags?: readonly string[];
  /** Data folder; default: a new one, removed with the server. */
  readonly dataDir?: string;
  readonly port?: number;
  /** Creates a process group; see `ChildCommand`. */
  readonly ownGroup?: boolean;
  readonly logFile?: string;
  /** Called for each process started, restarts included; see `ChildCommand`. */
  readonly onStart?: (pid: number) => void;
  readonly signal?: AbortSignal;
}

/** Describes how to run one kind of server. */
export interface ServerKind {
  readonly program: ServerName;
  readonly scheme: "http" | "redis";
  args(port: number, dataDir: string): readonly string[] | Promise<readonly string[]>;
  /** False or a rejection means not yet ready. */
  isReady(port: number, signal: AbortSignal): Promise<boolean>;
}

const tries = 3;

/** Starts a server; resolves when it is ready for requests. @throws an Error with the end of its log */
export async function startServer(kind: ServerKind, options: CommonOptions): Promise<RunningServer> {
  const signal = options.signal ?? new AbortController().signal;
  const programs = await findServers([kind.program], { signal });
  const program = programs[kind.program];
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), `telemetryd-${kind.program}-`)));
  await mkdir(dataDir, { recursive: true });

  const launch = async (port: number): Promise<Child> => {
    // A server opens its data before its port; until then another server's response would be taken for its
    // own.
    if (await isListening(port)) throw new Error(`${kind.program}: port ${port}: address already in use`);
    const child = await startChild({
      name: kind.program,
      program: program.path,
      args: [...(await kind.args(port, dataDir)), ...(options.flags ?? [])],
      env: program.env,
      cwd: dataDir,
      ...(options.ownGroup === undefined ? {} : { ownGroup: options.ownGroup }),
      ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
      ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
    });
    const isReady = (): Promise<boolean> =>
      kind.isReady(port, AbortSignal.any([signal, AbortSignal.timeout(1000)])).catch(() => false);
    await waitUntilReady(kind.program, child, isReady, 30_000, signal);
    return child;
  };

  const removeData = async (): Promise<void> => {
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    const started = await launchOnFreePort(launch, options.port);
    return running(kind, started, dataDir, launch, removeData);
  } catch (error) {
    await removeData();
    throw error;
  }
}

async function launchOnFreePort(
  launch: (port: number) => Promise<Child>,
  fixedPort: number | undefined,
): Promise<{ child: Child; port: number }> {
  for (let attempt = 1; ; attempt++) {
    const port = fixedPort ?? (await freePort());
    try {
      return { child: await launch(port), port };
    } catch (error) {
      // Another process may have taken the port in the meantime.
      const isTaken = /address already in use/i.test(String(error));
      if (fixedPort !== undefined || !isTaken || attempt === tries) throw error;
    }
  }
}

function running(
  kind: ServerKind,
  started: { child: Child; port: number },
  dataDir: string,
  launch: (port: number) => Promise<Child>,
  removeData: () => Promise<void>,
): RunningServer {
  let { child } = started;
  const { port } = started;
  return {
    url: `${kind.scheme}://127.0.0.1:${port}`,
    port,
    get pid() {
      return child.pid;
    },
    dataDir,
    log: () => child.log(),
    signal: (name) => child.signal(name),
    async stop() {
      await child.stop();
    },
    async kill() {
      await child.kill();
    },
    async restart() {
      await child.stop();
      child = await launch(port);
    },
    async [Symbol.asyncDispose]() {
      await child.stop();
      await removeData();
    },
  };
}
