import { type ChildProcess, spawn } from "node:child_process";
import { chmod, readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Redis } from "ioredis";
import { nextDelay } from "../core/backoff.ts";
import type { Clock } from "../core/clock.ts";
import { describeError, errnoCode, TelemetrydError } from "../core/errors.ts";
import { makeDirectory } from "../core/make-directory.ts";
import { signalProcess, untilGone } from "../core/process-end.ts";
import type { Service } from "../core/service.ts";
import { endsWithin, untilAborted } from "../core/signals.ts";
import { makeOwnFolder, shortFolder } from "../core/socket-folder.ts";
import type { Logger } from "../log/log.ts";

interface PrivateServerOptions {
  /** `state.directory`, locked by the daemon; the server's data is in its folder `redis`. */
  readonly stateDirectory: string;
  readonly binary: string;
  /** When the server syncs its append-only file to disk. */
  readonly appendFsync: "everysec" | "always";
  readonly clock: Clock;
  readonly log: Logger;
}

const installHint =
  "redis-server is not installed. Install it (Debian, Ubuntu: apt-get install redis-server; Fedora: dnf install redis; macOS: brew install redis), or name a running Redis with redis.url";

const stopLimitMs = 10_000;
const restart = { baseMs: 200, maxMs: 5_000, jitter: 0 };
/** A server that ends sooner than this never served; after several such in a row, starting has failed. */
const briefLifeMs = 5_000;
const briefLivesAllowed = 4;

/** A running redis-server: our child process, or one left by a crashed daemon. */
interface RunningServer {
  readonly pid: number;
  /** Resolves when the server has ended, with the last lines of its output. */
  readonly ended: Promise<string>;
}

/**
 * The path of the private server's socket. Unix limits it to 107 bytes; a longer one is replaced by a folder
 * under the system's temporary directory, named after the state directory.
 */
export function socketPath(stateDirectory: string): string {
  const path = join(resolve(stateDirectory), "redis", "redis.sock");
  if (Buffer.byteLength(path) <= 104) return path;
  return join(shortFolder(stateDirectory), "redis.sock");
}

/**
 * The machine's own `redis-server`, run on a Unix socket under the state directory while the service runs.
 *
 * A server that responds on the socket (left by a killed daemon) is taken over; otherwise one is started. A
 * server that ends unexpectedly is restarted. Its users still write while they stop, so this service belongs
 * to an earlier stage than theirs.
 */
export function createPrivateServer(options: PrivateServerOptions): Service {
  const { log, clock } = options;
  const directory = join(resolve(options.stateDirectory), "redis");
  const socket = socketPath(options.stateDirectory);
  let current: RunningServer | undefined;
  let starts = 0;

  return {
    name: "redis",
    snapshot: () => ({ socket, pid: current?.pid ?? null, starts }),
    async run(signal) {
      await prepare(directory, socket);
      await tighten(directory).catch((error: unknown) => {
        log.warn({ directory, error: describeError(error) }, "the modes of Redis' files cannot be set");
      });
      // A second Ctrl-C ends the process at once; the child must not be left running then either.
      const endChild = (): void => void signalProcess(current?.pid, "SIGTERM");
      process.once("exit", endChild);
      try {
        for (let briefLives = 0; !signal.aborted; ) {
          const startedMs = clock.monotonicMs();
          current = (await leftBehind(socket, options)) ?? start(directory, socket, options);
          starts++;
          const ended = await Promise.race([current.ended, untilAborted(signal)]);
          if (ended === undefined) break;
          current = undefined;
          briefLives = clock.monotonicMs() - startedMs < briefLifeMs ? briefLives + 1 : 0;
          if (briefLives > briefLivesAllowed) {
            throw new TelemetrydError("REDIS_UNAVAILABLE", `the private redis-server keeps ending: ${ended}`);
          }
          log.error({ output: ended }, "the private redis-server ended by itself; starting it again");
          await clock.sleep(nextDelay(briefLives, restart, 0), signal).catch(() => undefined);
        }
        if (current !== undefined) await stop(current, options);
      } finally {
        process.removeListener("exit", endChild);
        // A fault must not leave it running either.
        signalProcess(current?.pid, "SIGTERM");
        current = undefined;
      }
    },
  };
}

async function prepare(directory: string, socket: string): Promise<void> {
  try {
    await makeDirectory(directory);
    await makeOwnFolder(dirname(socket));
  } catch (cause) {
    throw new TelemetrydError("REDIS_UNAVAILABLE", `no folder for the private redis-server at ${directory}`, {
      cause,
    });
  }
}

/** Removes other users' access to the folder's files: earlier versions left the data world-readable. */
async function tighten(directory: string): Promise<void> {
  await chmod(directory, 0o700);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await tighten(path);
    else if (entry.isFile()) await chmod(path, 0o600).catch(ignoreAbsent);
  }
}

/** A running server replaces its files. */
function ignoreAbsent(error: unknown): void {
  if (errnoCode(error) !== "ENOENT") throw error;
}

/**
 * The server that a crashed daemon left on the socket, or undefined when nothing listens.
 *
 * @throws REDIS_UNAVAILABLE when something listens but does not respond: a second server would corrupt its
 *   files
 */
async function leftBehind(socket: string, options: PrivateServerOptions): Promise<RunningServer | undefined> {
  const probe = new Redis({
    path: socket,
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 5_000,
    commandTimeout: 10_000,
    enableReadyCheck: false,
  });
  probe.on("error", () => undefined);
  try {
    await probe.connect();
  } catch {
    probe.disconnect();
    return undefined;
  }
  try {
    const info = await probe.info("server");
    const pid = Number(/^process_id:(\d+)/m.exec(info)?.[1]);
    await probe.config("SET", "appendfsync", options.appendFsync);
    options.log.info({ pid, socket }, "took over the private redis-server that an earlier daemon left");
    return { pid, ended: untilGone(pid, options.clock) };
  } catch (cause) {
    const pid = await readFile(join(socket, "..", "redis.pid"), "utf8").catch(() => "unknown");
    throw new TelemetrydError(
      "REDIS_UNAVAILABLE",
      `a redis-server on ${socket} does not respond; end its process (${pid.trim()}) and start again`,
      { cause },
    );
  } finally {
    probe.disconnect();
  }
}

function start(directory: string, socket: string, options: PrivateServerOptions): RunningServer {
  // Redis has no setting for the mode of its files. The child inherits this umask; nothing runs in between.
  const umask = process.umask(0o077);
  const child = spawn(options.binary, serverArguments(directory, socket, options.appendFsync), {
    cwd: directory,
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own: Ctrl-C in a terminal must stop the daemon first, then its Redis.
    detached: true,
  });
  process.umask(umask);
  const output = lastLines(child);
  const failure: { spawn?: Error } = {};
  child.once("error", (error) => {
    failure.spawn = error;
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once("close", (code, signalName) => {
      if (failure.spawn === undefined) return resolve(`${output()} (${signalName ?? `exit status ${code}`})`);
      reject(spawnFault(failure.spawn, options.binary));
    });
  });
  options.log.debug({ pid: child.pid, socket }, "started the private redis-server");
  return { pid: child.pid ?? 0, ended };
}

function spawnFault(error: Error, binary: string): TelemetrydError {
  const message =
    errnoCode(error) === "ENOENT" ? installHint : `${binary} cannot be started: ${describeError(error)}`;
  return new TelemetrydError("REDIS_UNAVAILABLE", message, { cause: error });
}

function serverArguments(directory: string, socket: string, appendFsync: string): string[] {
  const settings: Record<string, string> = {
    port: "0",
    unixsocket: socket,
    unixsocketperm: "700",
    dir: directory,
    pidfile: join(socket, "..", "redis.pid"),
    daemonize: "no",
    appendonly: "yes",
    appendfsync: appendFsync,
    save: "",
    "maxmemory-policy": "noeviction",
    "auto-aof-rewrite-min-size": "16mb",
    loglevel: "notice",
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Keeps the end of a child's output, for the message about its exit. */
function lastLines(child: ChildProcess): () => string {
  let text = "";
  const collect = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-2_000);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  return () => text.trim().split("\n").slice(-3).join(" | ");
}

async function stop(server: RunningServer, options: PrivateServerOptions): Promise<void> {
  const { clock, log } = options;
  signalProcess(server.pid, "SIGTERM");
  if (await endsWithin(server.ended, stopLimitMs, clock)) return;
  log.warn({ pid: server.pid }, "the private redis-server does not end; killing it");
  signalProcess(server.pid, "SIGKILL");
  await server.ended;
}
