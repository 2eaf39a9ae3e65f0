import { randomUUID } from "node:crypto";
import { lstatSync, unlinkSync } from "node:fs";
import { mkdir, open, unlink } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { describeError, errnoCode, TelemetrydError } from "../../../base/core/errors.ts";

const socketName = "lock.sock";
/** Long enough for a second daemon that found the same dead socket to replace ours, if it does. */
const settleMs = 50;
const responseWithinMs = 1_000;

/** A held lock; `release` may be called more than once. */
export interface DirectoryLock {
  release(): Promise<void>;
}

/**
 * Locks a directory for this process with a Unix socket in it. The kernel ends the lock with the process, however it
 * ends, so that nothing stale has to be waited for or judged by its age; and it holds across containers that share
 * the directory, where a pid means nothing.
 *
 * @throws TelemetrydError STATE_LOCKED when another process holds it, STATE_UNUSABLE when the directory cannot be used
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const token = `${process.pid} ${randomUUID()}`;
  await mkdir(directory, { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw new TelemetrydError("STATE_UNUSABLE", `${directory} cannot be made: ${describeError(error)}`, {
      cause: error,
    });
  });
  const handle = await open(directory, "r");
  // A socket's path may have 107 bytes at most; through the open directory it is always short.
  const path = `/proc/self/fd/${handle.fd}/${socketName}`;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.end(token);
  });
  server.unref();
  try {
    await bind(server, path, directory);
    // Two daemons that start at once may both find a dead socket, and the second one's unlink take the first one's
    // fresh socket away. After both have settled, the path leads to one of them, and the other sees that it lost.
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
        throw new TelemetrydError(
          "STATE_UNUSABLE",
          `${directory} cannot be locked: ${describeError(error)}`,
          { cause: error },
        );
      }
    }
    const asked = identityOf(path);
    const holder = await askHolder(path);
    if (holder !== undefined) throw locked(directory, holder);
    removeDead(path, asked);
  }
}

/**
 * Takes a dead socket away, unless another daemon has put its own there since it was asked: on a busy machine the reply
 * may be some 100 ms old. Without a pause between the two steps, so that nothing comes between them.
 */
function removeDead(path: string, asked: string | undefined): void {
  if (asked === undefined || identityOf(path) !== asked) return;
  try {
    unlinkSync(path);
  } catch {
    // Another one has done so.
  }
}

/** Which file it is: inodes are used again at once, so its time belongs to it. */
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

/** What the process behind the socket replies, or undefined when nobody listens there any more. */
function askHolder(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let reply = "";
    const socket = connect(path);
    socket.setTimeout(responseWithinMs, () => {
      socket.destroy();
      // It accepts connections but is too busy to respond: it lives.
      resolve(reply || "unknown");
    });
    socket.on("data", (chunk) => (reply += chunk.toString()));
    socket.on("error", () => resolve(undefined));
    socket.on("end", () => resolve(reply));
  });
}

function locked(directory: string, holder: string | undefined): TelemetrydError {
  const pid = holder?.split(" ")[0] ?? "unknown";
  return new TelemetrydError(
    "STATE_LOCKED",
    `${directory} is in use by another telemetryd (process ${pid}); stop it, or give this one its own state.directory`,
  );
}
