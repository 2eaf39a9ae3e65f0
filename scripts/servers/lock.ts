import { createServer } from "node:net";
import { sleep } from "../../src/base/core/clock.ts";
import { errnoCode } from "../../src/base/core/errors.ts";

/**
 * Runs `work` while no other process of this machine runs work under the same name.
 *
 * The lock is a socket in Linux's abstract namespace: the kernel takes it away when its holder dies, however it
 * dies, so there is no stale lock to find out about.
 */
export async function withMachineLock<T>(
  name: string,
  work: () => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const release = await acquire(name, signal);
  try {
    return await work();
  } finally {
    await release();
  }
}

async function acquire(name: string, signal: AbortSignal): Promise<() => Promise<void>> {
  for (;;) {
    const server = createServer((socket) => socket.destroy());
    const taken = await new Promise<boolean>((resolve, reject) => {
      server.once("error", (error) => {
        if (errnoCode(error) === "EADDRINUSE") resolve(false);
        else reject(error);
      });
      server.listen(`\0telemetryd:${name}`, () => resolve(true));
    });
    if (taken) return () => new Promise((resolve) => server.close(() => resolve()));
    await sleep(200, signal);
  }
}
