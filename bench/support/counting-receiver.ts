import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Takes every request, keeps nothing but counts, and costs next to nothing, so that what is measured is the sender. */
export interface CountingReceiver extends AsyncDisposable {
  readonly endpoint: string;
  readonly requests: number;
  /** Of the bodies, as sent. */
  readonly bytes: number;
  /** `performance.now()` of each request's end, where `keepsTimes`. */
  readonly arrivedAtMs: readonly number[];
  /** Resolves with `performance.now()` at the end of the first request. */
  readonly first: Promise<number>;
}

export async function startCountingReceiver(keepsTimes = false): Promise<CountingReceiver> {
  let requests = 0;
  let bytes = 0;
  const arrivedAtMs: number[] = [];
  let arrived: (atMs: number) => void = () => undefined;
  const first = new Promise<number>((resolve) => {
    arrived = resolve;
  });
  const server = createServer({ keepAliveTimeout: 65_000 }, (message, response) => {
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
    });
    message.on("end", () => {
      requests++;
      const nowMs = performance.now();
      if (keepsTimes) arrivedAtMs.push(nowMs);
      arrived(nowMs);
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}/api/v1/write`,
    get requests() {
      return requests;
    },
    get bytes() {
      return bytes;
    },
    arrivedAtMs,
    first,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
