import { randomInt } from "node:crypto";
import { connect, createServer } from "node:net";
import { lockForLife } from "./lock.ts";

/** Below the ports that systems give to clients and to servers that ask for any (Linux: 32768 and above). */
const ports = { from: 12_000, to: 32_000 };

/**
 * A free TCP port of 127.0.0.1. Until this process ends, no other process of this machine gets it from here, whether
 * or not its server listens; no client and no server that asks for any port gets it.
 */
export async function freePort({ from, to } = ports): Promise<number> {
  for (let tried = 0; tried < 100; tried++) {
    const port = randomInt(from, to);
    if (!(await lockForLife(`port-${port}`))) continue;
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
  throw new Error("no free port was found");
}

/** Whether a server accepts connections on that port of 127.0.0.1. */
export async function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
