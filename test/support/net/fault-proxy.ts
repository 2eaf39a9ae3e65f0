import { connect, createServer, type Server, type Socket } from "node:net";

/** The fault for one request. By default the server gets the request. */
export type Fault =
  | { readonly kind: "pass" }
  /** Forwarded after a delay. */
  | { readonly kind: "late"; readonly delayMs: number }
  /** The proxy responds; the server never sees the request. */
  | {
      readonly kind: "response";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection is reset after this much of the request's body; the server never sees the request. */
  | { readonly kind: "reset"; readonly afterBytes: number }
  /** The server accepts the request, and the connection is reset instead of the response. */
  | { readonly kind: "lose-response" }
  /** Neither forwarded nor responded to. */
  | { readonly kind: "hang" }
  /** The response is cut after this many bytes, by a reset or by an orderly close. */
  | { readonly kind: "cut"; readonly afterBytes: number; readonly by: "reset" | "end" };

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
}

/** A TCP proxy in front of a real server, with a fault per request; it can also be down entirely. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of requests received, with or without a response. */
  readonly requests: number;
  /** Number of requests whose responses were forwarded. */
  readonly answered: number;
  /** Time since the last request or response, in ms. */
  idleMs(): number;
  /** Sets the function that chooses each request's fault, called after its head. */
  plan(next: (request: ProxiedRequest) => Fault): void;
  /** Called with the body of each request that the server got and whose response did not reach the client. */
  onLost(listener: (body: Buffer) => void): void;
  /**
   * The client has died: reports as lost the last forwarded responses that it may not have recorded, if they
   * are less than two seconds old.
   *
   * @param most maximum number of them
   */
  clientDied(most: number): void;
  /** Breaks open connections and rejects new ones. The most recent responses count as lost. */
  down(): Promise<void>;
  up(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts a proxy in front of an HTTP/1.1 server on a loopback port. Requests must have a Content-Length and
 * must not be pipelined, as telemetryd's.
 */
export async function startFaultProxy(targetPort: number): Promise<FaultProxy> {
  const shared: Shared = {
    targetPort,
    requests: 0,
    answered: 0,
    busyAtMs: Number.NEGATIVE_INFINITY,
    recent: [],
    plan: () => ({ kind: "pass" }),
    onLost: () => undefined,
  };
  const loseRecent = (most: number, withinMs: number): void => {
    const sinceMs = performance.now() - withinMs;
    for (const { body, atMs } of shared.recent.splice(0).slice(-most))
      if (atMs >= sinceMs) shared.onLost(body);
  };
  const clients = new Set<Socket>();
  let server = await listen(0);
  const { port } = server.address() as { port: number };

  async function listen(onPort: number): Promise<Server> {
    const created = createServer((client) => {
      clients.add(client);
      client.once("close", () => clients.delete(client));
      new Exchanges(client, shared);
    });
    await new Promise<void>((resolve, reject) => {
      created.once("error", reject);
      created.listen(onPort, "127.0.0.1", resolve);
    });
    return created;
  }
  async function down(): Promise<void> {
    const closed = new Promise((resolve) => server.close(resolve));
    // A reset overtakes data written just before it.
    loseRecent(keptAnswers, 200);
    for (const client of clients) client.resetAndDestroy();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return shared.requests;
    },
    get answered() {
      return shared.answered;
    },
    idleMs: () => performance.now() - shared.busyAtMs,
    clientDied: (most) => loseRecent(most, 2_000),
    plan: (next) => {
      shared.plan = next;
    },
    onLost: (listener) => {
      shared.onLost = listener;
    },
    down,
    up: async () => {
      server = await listen(port);
    },
    [Symbol.asyncDispose]: down,
  };
}

interface Shared {
  readonly targetPort: number;
  requests: number;
  answered: number;
  busyAtMs: number;
  /** The last requests with forwarded responses, oldest first. */
  readonly recent: { readonly body: Buffer; readonly atMs: number }[];
  plan: (request: ProxiedRequest) => Fault;
  onLost: (body: Buffer) => void;
}

const keptAnswers = 16;

const headEnd = Buffer.from("\r\n\r\n");

/** The sequential requests of one connection. */
class Exchanges {
  readonly #client: Socket;
  readonly #shared: Shared;
  #server: Socket | undefined;
  #buffer = Buffer.alloc(0);
  #fault: Fault | undefined;
  #bodyAt = 0;
  #bodyLength = 0;
  /** Body of the request that the server has received but not responded to. */
  #open: Buffer | undefined;
  #answeredBytes = 0;

  constructor(client: Socket, shared: Shared) {
    this.#client = client;
    this.#shared = shared;
    client.on("error", () => undefined);
    client.on("data", (chunk) => {
      this.#buffer = Buffer.concat([this.#buffer, chunk]);
      this.#advance();
    });
    client.once("close", () => {
      if (this.#open !== undefined) shared.onLost(this.#open);
      this.#open = undefined;
      this.#server?.destroy();
    });
  }

  #advance(): void {
    if (this.#fault === undefined && !this.#takeHead()) return;
    const fault = this.#fault;
    if (fault === undefined) return;
    const received = this.#buffer.length - this.#bodyAt;
    if (fault.kind === "reset" && received >= Math.min(fault.afterBytes, this.#bodyLength)) {
      this.#client.resetAndDestroy();
      return;
    }
    if (received < this.#bodyLength) return;
    const end = this.#bodyAt + this.#bodyLength;
    const request = this.#buffer.subarray(0, end);
    const body = this.#buffer.subarray(this.#bodyAt, end);
    this.#buffer = Buffer.from(this.#buffer.subarray(end));
    if (fault.kind === "hang") return;
    if (fault.kind === "response") {
      this.#fault = undefined;
      this.#client.write(answerText(fault.status, fault.headers ?? {}));
      return;
    }
    if (fault.kind === "late") setTimeout(() => this.#forward(request, body), fault.delayMs);
    else this.#forward(request, body);
  }

  /** @returns whether the head of a request is complete; its fault is known then */
  #takeHead(): boolean {
    const at = this.#buffer.indexOf(headEnd);
    if (at < 0) return false;
    const [start = "", ...lines] = this.#buffer.toString("latin1", 0, at).split("\r\n");
    const [method = "", path = ""] = start.split(" ");
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    this.#bodyAt = at + headEnd.length;
    this.#bodyLength = Number(headers.get("content-length") ?? 0);
    this.#shared.requests++;
    this.#shared.busyAtMs = performance.now();
    this.#fault = this.#shared.plan({ method, path, headers });
    return true;
  }

  #forward(request: Buffer, body: Buffer): void {
    if (this.#client.destroyed) return;
    this.#open = body;
    this.#answeredBytes = 0;
    this.#server ??= this.#connect();
    this.#server.write(request);
  }

  #connect(): Socket {
    const server = connect(this.#shared.targetPort, "127.0.0.1");
    server.on("error", () => undefined);
    server.once("close", () => this.#client.end());
    server.on("data", (chunk) => this.#response(server, chunk));
    this.#client.on("drain", () => server.resume());
    return server;
  }

  #response(server: Socket, chunk: Buffer): void {
    const fault = this.#fault;
    if (fault?.kind === "lose-response") {
      this.#client.resetAndDestroy();
      return;
    }
    if (fault?.kind === "cut") {
      const room = fault.afterBytes - this.#answeredBytes;
      this.#answeredBytes += chunk.length;
      this.#client.write(chunk.subarray(0, Math.max(0, room)));
      if (chunk.length < room) return;
      if (fault.by === "reset") this.#client.resetAndDestroy();
      else this.#client.end(() => this.#client.destroy());
      return;
    }
    if (this.#open !== undefined) this.#noteAnswered(this.#open);
    this.#open = undefined;
    // The following bytes are the next request, or more of this response, which is forwarded unchanged.
    this.#fault = undefined;
    if (!this.#client.write(chunk)) server.pause();
  }

  #noteAnswered(body: Buffer): void {
    const { recent } = this.#shared;
    this.#shared.answered++;
    this.#shared.busyAtMs = performance.now();
    recent.push({ body, atMs: performance.now() });
    if (recent.length > keptAnswers) recent.shift();
  }
}

function answerText(status: number, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, "content-length": "0" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${status} injected`, ...lines, "", ""].join("\r\n");
}
