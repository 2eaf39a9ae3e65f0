import { randomUUID } from "node:crypto";
import { lstatSync, unlinkSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { describeError, errnoCode, TelemetrydError } from "../../../base/core/errors.ts";
import { makeDirectory } from "../../../base/core/make-directory.ts";

const socketName = "lock.sock";
/** Long enough for a second daemon that found the same dead socket to replace ours. */
const settleMs = 50;
const responseWithinMs = 1_000;

/** A held lock; `release` may be called more than once. */
interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Locks a directory for this process with a Unix socket in it. The kernel releases the lock when the process
 * ends, for any reason, so there are no stale locks to time out. The lock also works across containers that
 * share the directory, where a pid is meaningless.
 *
 * @throws TelemetrydError STATE_LOCKED when another process holds it, STATE_UNUSABLE when the directory
 * cannot be used
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const token = `${process.pid} ${randomUUID()}`;
  const handle = await makeDirectory(directory)
    .then(() => open(directory, "r"))
    .catch((error: unknown) => {
      throw unusable(directory, "cannot be opened", error);
    });
  // A socket's path is limited to 107 bytes; through the open directory it is always short.
  const path = `/proc/self/fd/${handle.fd}/${socketName}`;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(token);
  });
  server.unref();
  try {
    await bind(server, path, directory);
    // Two daemons that start at once may both find a dead socket, and the second one's unlink may remove the
    // first one's fresh socket. After the pause the path leads to one of them, and the other one detects its
    // loss.
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const holder = await askHolder(path);
    if (holder !== token) throw locked(directory, holder);
  } catch (error) {
    server.close();
    await handle.close();
    throw error;
  }
  let released = false;
  return {
    release: async () => {
      if (released) return;
      released = true;
      await unlink(path).catch(() => undefined);
      await new Promise((resolve) => server.close(resolve));
      await handle.close();
    },
  };
}

async function bind(server: Server, path: string, directory: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await listen(server, path);
    } catch (error) {
      if (errnoCode(error) !== "EADDRINUSE" || attempt === 5) {
        throw unusable(directory, "cannot be locked: no socket can be created in it", error);
      }
    }
    const asked = identityOf(path);
    const holder = await askHolder(path);
    if (holder !== undefined) throw locked(directory, holder);
    removeDead(path, asked);
  }
}

/**
 * Removes a dead socket, unless another daemon has replaced it since it was checked: on a busy machine the
 * reply may be old. Both steps are synchronous, so that nothing runs in between.
 */
function removeDead(path: string, asked: string | undefined): void {
  if (asked === undefined || identityOf(path) !== asked) return;
  try {
    unlinkSync(path);
  } catch {
    // Another process removed it.
  }
}

/** The identity of a file. Inodes are reused at once, so its time is part of it. */
function identityOf(path: string): string | undefined {
  const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.ino} ${found.ctimeNs}`;
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
}

/** The reply of the process behind the socket; undefined when no process listens. */
function askHolder(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let reply = "";
    const socket = connect(path);
    socket.setTimeout(responseWithinMs, () => {
      socket.destroy();
      // It accepts connections but is too busy to respond: the holder is alive.
      resolve(reply || "unknown");
    });
    socket.on("data", (chunk) => (reply += chunk.toString()));
    socket.on("error", () => resolve(undefined));
    socket.on("end", () => resolve(reply));
  });
}

function unusable(directory: string, problem: string, cause: unknown): TelemetrydError {
  // The system names the path that it was given, which only this process has.
  const reason = describeError(cause).replace(/\/proc\/self\/fd\/\d+/, directory);
  return new TelemetrydError("STATE_UNUSABLE", `the state directory ${directory} ${problem}: ${reason}`, {
    cause,
  });
}

function locked(directory: string, holder: string | undefined): TelemetrydError {
  const pid = holder?.split(" ")[0] ?? "unknown";
  return new TelemetrydError(
    "STATE_LOCKED",
    `${directory} is in use by another telemetryd (process ${pid}); stop it, or give this one its own state.directory`,
  );
}
