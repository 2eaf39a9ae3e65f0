import { createServer } from "node:net";
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
