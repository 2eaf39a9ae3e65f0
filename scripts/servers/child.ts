import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { sleep } from "../../src/base/core/clock.ts";

export interface ChildCommand {
  /** Its name in messages. */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /**
   * Creates a process group, so that a terminal's Ctrl-C reaches only this process, which then decides the
   * order of shutdown. Signals go to the whole group.
   */
  readonly ownGroup?: boolean;
  /** A file to which its output is also appended. */
  readonly logFile?: string;
  /** Called with the process id as soon as it is known, before the process is ready. */
  readonly onStart?: (pid: number) => void;
}

/** Exit status of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A child process with the end of its output. */
export interface Child {
  readonly pid: number;
  /** Resolves when it has ended and its output has been read; never rejects. */
  readonly exited: Promise<Exit>;
  /** Set as soon as it has ended. */
  exit(): Exit | undefined;
  /** The last 256 KiB of both output streams, in order of arrival. */
  log(): string;
  /** Sends a signal; no effect on a process that has ended. */
  signal(name: NodeJS.Signals): void;
  /** Sends SIGTERM and waits; sends SIGKILL after `limitMs`. Idempotent. */
  stop(limitMs?: number): Promise<Exit>;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<Exit>;
}

const keptLogLength = 256 * 1024;

/** Children that must not outlive this process, however it ends (except by SIGKILL). */
const alive = new Set<ChildProcess>();
const groups = new WeakSet<ChildProcess>();
let exitHandlerIsSet = false;

function killAll(): void {
  for (const process of alive) send(process, "SIGKILL");
}

function send(child: ChildProcess, signal: NodeJS.Signals): void {
  // The pid of a reaped process may have been reused.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(groups.has(child) ? -child.pid : child.pid, signal);
  } catch {
    // It ended between the check and the call.
  }
}

/** Starts a program. @throws an Error when it cannot be started */
export async function startChild(command: ChildCommand): Promise<Child> {
  const { name } = command;
  const child = spawn(command.program, command.args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: command.ownGroup ?? false,
    env: { ...process.env, ...command.env },
    ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
  });
  if (command.ownGroup === true) groups.add(child);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => reject(new Error(`${name}: cannot be started`, { cause: error })));
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name}: started without a process id`);
  alive.add(child);
  command.onStart?.(pid);
  if (!exitHandlerIsSet) {
    process.once("exit", killAll);
    exitHandlerIsSet = true;
  }

  let text = "";
  const keep = (chunk: Buffer): void => {
    if (command.logFile !== undefined) appendFileSync(command.logFile, chunk);
    text += chunk.toString();
    if (text.length > 2 * keptLogLength) text = text.slice(-keptLogLength);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);

  let ended: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => {
      ended = { code, signal };
      alive.delete(child);
      // Grandchildren that hold the pipes open would delay "close".
      const late = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, 500);
      child.once("close", () => {
        clearTimeout(late);
        resolve({ code, signal });
      });
    });
  });

  const kill = async (): Promise<Exit> => {
    send(child, "SIGKILL");
    return exited;
  };
  return {
    pid,
    exited,
    exit: () => ended,
    log: () => text.slice(-keptLogLength),
    signal: (signal) => send(child, signal),
    kill,
    async stop(limitMs = 15_000) {
      send(child, "SIGTERM");
      const limit = new AbortController();
      const timeout = sleep(limitMs, limit.signal).then(
        () => "late" as const,
        () => "ended" as const,
      );
      const first = await Promise.race([exited, timeout]);
      limit.abort();
      return first === "late" ? kill() : exited;
    },
  };
}

/**
 * Waits until `isReady` returns true.
 * @throws an Error with the end of the log when the child ends first, or after `limitMs`, when it is killed
 */
export async function waitUntilReady(
  name: string,
  child: Child,
  isReady: () => Promise<boolean>,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
    const exit = child.exit();
    if (exit !== undefined) {
      await child.exited;
      throw new Error(`${name}: ended while it started (${describeExit(exit)})${logTail(child)}`);
    }
    // The response counts only while the child lives: another server may have its port.
    if ((await isReady()) && child.exit() === undefined) return;
    if (performance.now() > deadlineMs || signal.aborted) {
      await child.kill();
      signal.throwIfAborted();
      throw new Error(`${name}: not ready after ${limitMs} ms${logTail(child)}`);
    }
    await sleep(pauseMs, signal).catch(() => undefined);
  }
}

export function describeExit(exit: Exit): string {
  return exit.signal === null ? `exit status ${exit.code}` : `signal ${exit.signal}`;
}

function logTail(child: Child): string {
  const lines = child.log().trimEnd().split("\n").slice(-20);
  return `; the end of its log:\n${lines.map((line) => `  ${line}`).join("\n")}`;
}
