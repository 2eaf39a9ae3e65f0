import { type AddressInfo, createServer, type Socket } from "node:net";

/** Accepts every request and only counts, at next to no cost, so that the measurement is of the sender. */
export interface CountingReceiver extends AsyncDisposable {
  readonly endpoint: string;
  readonly requests: number;
  /** Bytes of the bodies, as sent. */
  readonly bytes: number;
  /** `performance.now()` at the end of the last request. */
  readonly lastAtMs: number;
  /** End of each request; only with `keepsTimes`. */
  readonly arrivedAtMs: readonly number[];
  /** Resolves with `performance.now()` at the end of the first request. */
  readonly first: Promise<number>;
}

const response = Buffer.from("HTTP/1.1 204 No Content\r\n\r\n");

/**
 * Supports only the HTTP that remote-write senders need: requests with a Content-Length on keep-alive
 * connections. node:http would cost a large share of the sender's own time.
 */
export async function startCountingReceiver(keepsTimes = false): Promise<CountingReceiver> {
  let requests = 0;
  let bytes = 0;
  const arrivedAtMs: number[] = [];
  let lastAtMs = 0;
  let arrived: (atMs: number) => void = () => undefined;
  const first = new Promise<number>((resolve) => {
    arrived = resolve;
  });
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const body = new BodyCounter((length) => {
      requests++;
      bytes += length;
      const nowMs = performance.now();
      lastAtMs = nowMs;
      if (keepsTimes) arrivedAtMs.push(nowMs);
      arrived(nowMs);
      socket.write(response);
    });
    socket.on("data", (chunk) => body.push(chunk));
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
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
    get lastAtMs() {
      return lastAtMs;
    },
    arrivedAtMs,
    first,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Finds the end of each request on a connection. */
class BodyCounter {
  readonly #onEnd: (length: number) => void;
  /** An incomplete head. */
  #head: Buffer = Buffer.alloc(0);
  #length = 0;
  #left = 0;

  constructor(onEnd: (length: number) => void) {
    this.#onEnd = onEnd;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) {
      if (this.#left === 0) {
        const head = this.#head.length === 0 ? rest : Buffer.concat([this.#head, rest]);
        const end = head.indexOf("\r\n\r\n");
        this.#head = end === -1 ? head : Buffer.alloc(0);
        if (end === -1) return;
        const length = /\r\ncontent-length: *(\d+)/i.exec(head.toString("latin1", 0, end))?.[1];
        if (length === undefined) throw new Error("a request without Content-Length");
        this.#length = Number(length);
        this.#left = this.#length;
        rest = head.subarray(end + 4);
      }
      const taken = Math.min(this.#left, rest.length);
      this.#left -= taken;
      rest = rest.subarray(taken);
      if (this.#left === 0) this.#onEnd(this.#length);
    }
  }
}
