import { createServer, type Server } from "node:net";
import { sleep } from "../../src/base/core/clock.ts";
import { errnoCode } from "../../src/base/core/errors.ts";

/**
 * Runs `work` under a machine-wide lock of that name.
 *
 * The lock is a socket in Linux's abstract namespace: the kernel removes it when its holder dies, so there
 * are no stale locks.
 */
export async function withMachineLock<T>(
  name: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (;;) {
    const lock = await take(name);
    if (lock === undefined) {
      await sleep(200, signal);
      continue;
    }
    try {
      return await work();
    } finally {
      await new Promise((resolve) => lock.close(resolve));
    }
  }
}

/** Takes the lock of that name until this process ends. @returns false when it is taken, also by this process */
export async function lockForLife(name: string): Promise<boolean> {
  const lock = await take(name);
  lock?.unref();
  return lock !== undefined;
}

async function take(name: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if (errnoCode(error) === "EADDRINUSE") resolve(undefined);
      else reject(error);
    });
    server.listen(`\0telemetryd:${name}`, () => resolve(server));
  });
}
