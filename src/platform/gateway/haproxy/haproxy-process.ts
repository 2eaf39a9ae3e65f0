import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Clock } from "../../../base/core/clock.ts";
import { signalProcess, untilGone } from "../../../base/core/process-end.ts";
import { endsWithin } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import { askSocket, HaproxyError } from "./command-socket.ts";
import { type CheckOutcome, checkConfiguration } from "./configuration-check.ts";
import type { GatewayFiles } from "./gateway-files.ts";
import { pathOf, startFault } from "./haproxy-program.ts";

export interface HaproxyOptions {
  /** A path, or a name that is looked up at each start: HAProxy may be installed while the daemon runs. */
  readonly binary: string;
  readonly files: Pick<GatewayFiles, "configuration" | "masterSocket" | "workerSocket">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Lines of the access log. */
  readonly onLogLine: (line: string) => void;
}

/** HAProxy in master-worker mode (management guide, section 4), as a child of the daemon. */
export interface Haproxy {
  /**
   * Checks a configuration in a process of its own, with limits of time and memory.
   *
   * @throws HaproxyError when HAProxy cannot be run, or the signal's reason
   */
  check(file: string, signal: AbortSignal): Promise<CheckOutcome>;
  /**
   * Takes over the HAProxy that a killed daemon left, or starts one, and waits until it serves what is in the
   * configuration.
   *
   * @throws HaproxyError with the reason
   */
  start(signal: AbortSignal): Promise<void>;
  /** Serves what is in the configuration from now on. @throws HaproxyError */
  reload(signal: AbortSignal): Promise<void>;
  /** Gives a command to the worker that takes new connections. @throws HaproxyError */
  ask(command: string): Promise<string>;
  askMaster(command: string): Promise<string>;
  /**
   * The same as `ask` for every worker, also those that only finish their requests. A worker that lives and
   * does not respond has undefined.
   *
   * @throws HaproxyError when the master does not respond, as while it reloads: nobody knows the workers then
   */
  askAll(command: string): Promise<ReadonlyMap<number, string | undefined>>;
  /** Gives commands to workers that only finish their requests; one that does not respond gets no more. */
  askLeaving(commands: readonly string[]): Promise<void>;
  /** Whether its master responds to no command, until the next reload. */
  isSilent(): boolean;
  /** Why it ended by itself; undefined while it runs. */
  ended(): string | undefined;
  /** Stops listening, and ends when all requests (and WebSockets) have, or after the limit. */
  stop(limitMs: number): Promise<void>;
}

const noResponse = "HAProxy does not respond on its socket";
const loadLimitMs = 60_000;
/** How long a worker that is asked to stop may take to close its listeners. */
const closeLimitMs = 2_000;
const pollMs = 20;
const drainPollMs = 200;
/** A worker that is about to end may respond to nothing: loads and reports do not wait for it. */
const leavingResponseMs = 1_000;
/** The master itself needs milliseconds. */
const masterResponseMs = 3_000;

/** A master: our child, or one that a killed daemon left. */
interface Master {
  readonly pid: number;
  /** Resolves when it has ended, with the last lines of its output. */
  readonly ended: Promise<string>;
}

export function createHaproxy(options: HaproxyOptions): Haproxy {
  const { binary, files, clock } = options;
  let master: Master | undefined;
  let end: string | undefined;
  /** The last response to `show proc`. */
  let known: Processes | undefined;
  /**
   * HAProxy 2.6 keeps a command open that a worker has not responded to, and its master responds to nothing
   * once ten are, until it reloads: each earlier worker gets one.
   */
  const silent = new Set<number>();
  let isMasterSilent = false;

  const adopt = (started: Master): void => {
    master = started;
    end = undefined;
    void started.ended.then((why) => {
      if (master === started) end = why;
    });
  };
  // A second Ctrl-C ends the daemon at once; HAProxy must not be left running then either.
  const endMaster = (): void => {
    if (master !== undefined && end === undefined) signalProcess(master.pid, "SIGTERM");
  };
  const untilLoaded = async (before: Processes | undefined, signal: AbortSignal): Promise<void> => {
    const deadlineMs = clock.monotonicMs() + loadLimitMs;
    let seenAtMs: number | undefined;
    while (clock.monotonicMs() < deadlineMs) {
      if (end !== undefined) throw new HaproxyError(`HAProxy ended: ${end}`);
      const now = await processes();
      const isNew = now?.workers.some((pid) => before?.workers.includes(pid) !== true);
      if (isNew === true) {
        seenAtMs ??= clock.monotonicMs();
        const isClosing = clock.monotonicMs() < seenAtMs + closeLimitMs;
        // Until the earlier one has closed its listeners, either may accept a connection.
        if (await haveStopped(files.masterSocket, before?.workers ?? [], isClosing)) return;
      }
      if (now !== undefined && now.failed > (before?.failed ?? 0)) {
        throw new HaproxyError("HAProxy does not load the configuration");
      }
      await clock.sleep(pollMs, signal);
    }
    throw new HaproxyError(`HAProxy has not loaded the configuration within ${loadLimitMs / 1000} s`);
  };

  return {
    check: async (file, signal) => checkConfiguration(await pathOf(binary), file, signal),
    async start(signal) {
      process.removeListener("exit", endMaster);
      process.once("exit", endMaster);
      const left = await processes();
      if (left !== undefined) {
        options.log.info({ pid: left.master }, "took over the HAProxy that an earlier daemon left");
        adopt({ pid: left.master, ended: untilGone(left.master, clock) });
        await this.reload(signal);
        return;
      }
      adopt(spawnMaster(await pathOf(binary), options));
      await untilLoaded(undefined, signal);
    },
    async reload(signal) {
      const now = await processes();
      const before = now ?? (isMasterSilent ? known : undefined);
      if (before === undefined) throw new HaproxyError(noResponse);
      // A signal: a master that responds to no command reloads as well, and responds again.
      signalProcess(before.master, "SIGUSR2");
      await untilLoaded(before, signal);
    },
    ask: (command) => askSocket(files.workerSocket, command),
    askMaster: (command) => askSocket(files.masterSocket, command),
    async askAll(command) {
      const now = await processes();
      if (now === undefined) throw new HaproxyError(noResponse);
      const responses = new Map<number, string | undefined>();
      for (const pid of silent) if (!now.leaving.includes(pid)) silent.delete(pid);
      const asked = now.leaving.map(async (pid) => responses.set(pid, await askLeavingWorker(pid, command)));
      await Promise.all(asked);
      for (const pid of now.workers) {
        // A worker may end between the two.
        const asking = askSocket(files.masterSocket, `@!${pid} ${command}`);
        responses.set(pid, await asking.catch(() => undefined));
      }
      return responses;
    },
    async askLeaving(commands) {
      if (commands.length === 0) return;
      const { leaving = [] } = (await processes()) ?? {};
      // At once: there may be many that do not respond.
      const given = leaving.map(async (pid) => {
        for (const command of commands) if ((await askLeavingWorker(pid, command)) === undefined) return;
      });
      await Promise.all(given);
    },
    isSilent: () => isMasterSilent,
    ended: () => end,
    async stop(limitMs) {
      if (master !== undefined && end === undefined) await stopMaster(master, limitMs);
      // Not before: a second Ctrl-C may come while requests are waited for.
      process.removeListener("exit", endMaster);
    },
  };

  /** Undefined when no master responds: there is none, or it is reading its configuration. */
  async function processes(): Promise<Processes | undefined> {
    try {
      const response = await askSocket(files.masterSocket, "show proc", masterResponseMs);
      isMasterSilent = false;
      const now = parseProcesses(response);
      known = now ?? known;
      return now;
    } catch (error) {
      // Else there is no socket, or it was closed.
      isMasterSilent = error instanceof HaproxyError;
      return undefined;
    }
  }

  async function askLeavingWorker(pid: number, command: string): Promise<string | undefined> {
    if (silent.has(pid)) return undefined;
    try {
      return await askSocket(files.masterSocket, `@!${pid} ${command}`, leavingResponseMs);
    } catch {
      silent.add(pid);
      return undefined;
    }
  }

  async function stopMaster(stopping: Master, limitMs: number): Promise<void> {
    const deadlineMs = clock.monotonicMs() + limitMs;
    do {
      // The master makes its workers finish their requests. While it reloads, it ignores the signal.
      signalProcess(stopping.pid, "SIGUSR1");
      const waitMs = Math.min(drainPollMs, deadlineMs - clock.monotonicMs());
      if (await endsWithin(stopping.ended, Math.max(0, waitMs), clock)) return;
      // Else connections that wait for a request would be waited for, as long as clients keep them.
    } while (clock.monotonicMs() < deadlineMs && !(await isDrained(files.masterSocket, await processes())));
    signalProcess(stopping.pid, "SIGTERM");
    if (await endsWithin(stopping.ended, 2_000, clock)) return;
    signalProcess(stopping.pid, "SIGKILL");
    await stopping.ended;
  }
}

interface Processes {
  readonly master: number;
  /** How often loading has failed since it last succeeded. */
  readonly failed: number;
  /** Workers that take new connections; normally one. */
  readonly workers: readonly number[];
  /** Workers that only finish their requests. */
  readonly leaving: readonly number[];
}

/** The response to `show proc`. */
export function parseProcesses(text: string): Processes | undefined {
  const head = /^(\d+)\s+master\s+\d+(?: \[failed: (\d+)\])?/m.exec(text);
  if (head === null) return undefined;
  const [current = "", old = ""] = text.split(/^# old workers$/m);
  const pids = (part: string): number[] =>
    [...part.matchAll(/^(\d+)\s+worker\s/gm)].map(([, pid]) => Number(pid));
  return {
    master: Number(head[1]),
    failed: Number(head[2] ?? 0),
    workers: pids(current),
    leaving: pids(old),
  };
}

/**
 * Whether these workers accept no more connections; one that does not respond has ended.
 *
 * @param isClosing also waits for their listeners: a busy worker closes them some time after the command.
 *   Only the one for its master's commands stays
 */
async function haveStopped(
  masterSocket: string,
  pids: readonly number[],
  isClosing: boolean,
): Promise<boolean> {
  for (const pid of pids) {
    const info = await askSocket(masterSocket, `@!${pid} show info`).catch(() => "");
    if (/^Stopping: 0$/m.test(info)) return false;
    if (isClosing && Number(/^Listeners: (\d+)$/m.exec(info)?.[1] ?? 0) > 1) return false;
  }
  return true;
}

/** Whether no worker has an open request; not if one cannot say so. */
async function isDrained(masterSocket: string, now: Processes | undefined): Promise<boolean> {
  if (now === undefined) return false;
  for (const pid of [...now.leaving, ...now.workers]) {
    // Its own sessions; the one that asks is of another frontend.
    const sessions = await askSocket(masterSocket, `@!${pid} show sess`).catch(() => " fe=gateway ");
    if (sessions.includes(" fe=gateway ")) return false;
  }
  return true;
}

function spawnMaster(path: string, { files, onLogLine, log }: HaproxyOptions): Master {
  const child = spawn(path, ["-W", "-S", `${files.masterSocket},mode,600`, "-f", files.configuration], {
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own: Ctrl-C in a terminal must stop the daemon first, which drains it.
    detached: true,
  });
  const lastLines = followOutput(child, onLogLine);
  let failure: Error | undefined;
  child.once("error", (error) => {
    failure = error;
  });
  const ended = new Promise<string>((resolve) => {
    child.once("close", (code, signalName) => {
      resolve(
        failure === undefined
          ? `${lastLines()} (${signalName ?? `exit status ${code}`})`
          : startFault(failure, path).message,
      );
    });
  });
  log.debug({ pid: child.pid }, "started HAProxy");
  return { pid: child.pid ?? 0, ended };
}

/** Splits the access log from HAProxy's own messages, of which the last faults are kept. */
function followOutput(child: ChildProcess, onLogLine: (line: string) => void): () => string {
  const faults: string[] = [];
  const follow = (line: string): void => {
    if (line.startsWith("{")) onLogLine(line);
    else if (/^\[ALERT\]/.test(line)) faults.splice(0, Math.max(0, faults.push(line.slice(0, 500)) - 3));
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on("line", follow);
  }
  return () => faults.map((line) => line.replace(/^\[ALERT\]\s+\(\d+\) : /, "")).join(" | ");
}
