import { type ChildProcess, fork } from "node:child_process";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { fileURLToPath } from "node:url";

/**
 * Load over a fixed number of keep-alive connections, one request at a time on each, from a process of its own:
 * raw sockets that read a head and count the bytes of a body leave most of the machine to the server.
 */
export interface LoadRequest {
  readonly port: number;
  /** PEM of the authority of the certificate; absent: plain HTTP. */
  readonly ca?: string | undefined;
  readonly host: string;
  readonly path: string;
  readonly connections: number;
  readonly seconds: number;
  /** Requests are started at this rate; absent: each connection sends its next one at once. */
  readonly perSecond?: number | undefined;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  /** 50th and 99th percentile of the time from a request to the end of its response, ms. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How often each kind of failure occurred. */
  readonly errors: Readonly<Record<string, number>>;
}

export interface LoadGenerator extends AsyncDisposable {
  run(request: LoadRequest): Promise<LoadResult>;
}

/** One run at a time. */
export function startLoadGenerator(): LoadGenerator {
  const child = fork(fileURLToPath(import.meta.url), ["generate"], { execArgv: process.execArgv });
  return {
    run(request) {
      return new Promise((resolve, reject) => {
        const onExit = (code: number | null) => reject(new Error(`the load generator ended with ${code}`));
        child.once("exit", onExit);
        child.once("message", (result) => {
          child.off("exit", onExit);
          resolve(result as LoadResult);
        });
        child.send(request);
      });
    },
    async [Symbol.asyncDispose]() {
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.disconnect();
  await exit;
}

if (process.argv[2] === "generate" && process.send !== undefined) {
  process.on("message", (request) => {
    void generate(request as LoadRequest).then((result) => process.send?.(result));
  });
}

const headEnd = Buffer.from("\r\n\r\n");

async function generate(request: LoadRequest): Promise<LoadResult> {
  const { connections, seconds, perSecond } = request;
  const latenciesMs: number[] = [];
  const errors: Record<string, number> = {};
  const onError = (kind: string): void => {
    errors[kind] = (errors[kind] ?? 0) + 1;
  };
  const idle: Connection[] = [];
  /** When requests that wait for a connection were due. */
  const waiting: number[] = [];
  let isOver = false;
  const onFree = (connection: Connection): void => {
    if (isOver) return;
    const dueMs = perSecond === undefined ? performance.now() : waiting.shift();
    if (dueMs === undefined) idle.push(connection);
    else connection.send(dueMs);
  };
  const all = Array.from(
    { length: connections },
    () => new Connection(request, { onFree, onError, onLatency: (ms) => latenciesMs.push(ms) }),
  );
  await Promise.all(all.map((each) => each.open()));
  const startedMs = performance.now();
  const endMs = startedMs + seconds * 1_000;
  for (const each of all) onFree(each);
  for (let started = 0, nowMs = startedMs; nowMs < endMs; nowMs = performance.now()) {
    if (perSecond !== undefined) {
      const due = Math.floor(((nowMs - startedMs) / 1_000) * perSecond);
      for (; started < due; started++) {
        const connection = idle.shift();
        if (connection === undefined) waiting.push(nowMs);
        else connection.send(nowMs);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, perSecond === undefined ? endMs - nowMs : 1));
  }
  const elapsedSeconds = (performance.now() - startedMs) / 1_000;
  const requests = latenciesMs.length;
  isOver = true;
  // The last requests get their responses: to cut them would cost the next run.
  for (let ms = 0; ms < 5_000 && all.some(({ isBusy }) => isBusy); ms += 10) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  for (const each of all) each.close();
  const sorted = Float64Array.from(latenciesMs).sort();
  const percentile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return {
    requests,
    perSecond: requests / elapsedSeconds,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    errors,
  };
}

interface Listener {
  onFree(connection: Connection): void;
  onLatency(ms: number): void;
  onError(kind: string): void;
}

/** A keep-alive connection that is opened again whenever the server has closed it. */
class Connection {
  readonly #request: LoadRequest;
  readonly #listener: Listener;
  readonly #bytes: Buffer;
  #socket: Socket | undefined;
  #dueMs: number | undefined;
  #head: Buffer = Buffer.alloc(0);
  /** Of the body; undefined until the head is complete. */
  #left: number | undefined;
  #isLast = false;
  #isClosed = false;
  #isLost = false;

  constructor(request: LoadRequest, listener: Listener) {
    this.#request = request;
    this.#listener = listener;
    const { path, host } = request;
    this.#bytes = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  }

  get isBusy(): boolean {
    return this.#dueMs !== undefined;
  }

  /** @throws errors of the socket */
  async open(): Promise<void> {
    const { port, ca, host } = this.#request;
    const socket =
      ca === undefined
        ? connect({ host: "127.0.0.1", port, noDelay: true })
        : connectTls({ host: "127.0.0.1", port, ca, servername: host, ALPNProtocols: ["http/1.1"] });
    socket.setNoDelay(true);
    await new Promise<void>((resolve, reject) => {
      socket.once("error", reject);
      socket.once(ca === undefined ? "connect" : "secureConnect", resolve);
    });
    this.#socket = socket;
    this.#isLost = false;
    this.#isLast = false;
    this.#left = undefined;
    this.#head = Buffer.alloc(0);
    socket.removeAllListeners("error");
    socket.on("error", () => this.#lost(socket));
    socket.on("end", () => this.#lost(socket));
    socket.on("close", () => this.#lost(socket));
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  send(dueMs: number): void {
    this.#dueMs = dueMs;
    // Opened again, it is sent then.
    if (this.#isLost) void this.#reopen();
    else this.#socket?.write(this.#bytes);
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.destroy();
  }

  async #reopen(): Promise<void> {
    try {
      await this.open();
      this.#socket?.write(this.#bytes);
    } catch {
      this.#fail("connection refused");
    }
  }

  #read(chunk: Buffer): void {
    let body = chunk.length;
    if (this.#left === undefined) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(headEnd);
      if (end < 0) return;
      const head = this.#head.toString("latin1", 0, end);
      body = this.#head.length - end - headEnd.length;
      this.#head = Buffer.alloc(0);
      if (!head.startsWith("HTTP/1.1 200 ")) this.#listener.onError(head.slice(0, 12));
      this.#left = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0);
      this.#isLast = /^connection: close/im.test(head);
    }
    this.#left -= body;
    if (this.#left > 0) return;
    this.#left = undefined;
    this.#listener.onLatency(performance.now() - (this.#dueMs ?? 0));
    if (this.#isLast) {
      this.#isLost = true;
      this.#socket?.destroy();
    }
    this.#free();
  }

  /** The server closed the connection: that fails the request that is on it, if any. */
  #lost(socket: Socket): void {
    if (socket !== this.#socket || this.#isLost) return;
    this.#isLost = true;
    socket.destroy();
    if (this.#isClosed || this.#dueMs === undefined) return;
    this.#fail(this.#left === undefined ? "closed before the response" : "closed within the response");
  }

  #fail(kind: string): void {
    this.#left = undefined;
    this.#listener.onError(kind);
    this.#free();
  }

  #free(): void {
    this.#dueMs = undefined;
    this.#listener.onFree(this);
  }
}
