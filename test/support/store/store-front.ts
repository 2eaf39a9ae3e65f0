import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeReadRequest, withoutChunks } from "./remote-read-request.ts";

/** A store that speaks like Prometheus, with habits of its own. */
export type FrontKind = "mimir" | "cortex" | "thanos";

/** Mimir, Cortex or a Thanos Querier, as far as a reader can see, with the samples of a real Prometheus. */
export interface StoreFront extends AsyncDisposable {
  /** With the path prefix. */
  readonly url: string;
  readonly tenant: string;
  /** Spans of the remote reads that were answered with samples or chunks, in ms. */
  readonly readSpansMs: number[];
  /** Number of requests. */
  readonly requests: number;
  /** Maximum span of a remote read. */
  maxSpanMs: number;
  /** One of the stores behind is away. */
  isPartial: boolean;
}

interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: Buffer | string;
}

const habits = {
  mimir: {
    prefix: "/prometheus",
    // Served without a tenant.
    buildInfo: { application: "Grafana Mimir", version: "2.17.0", revision: "x", goVersion: "go1.26.8" },
    readsChunks: true,
    refusal: (spanMs: number, maxMs: number) =>
      `the query time range exceeds the limit (query length: ${spanMs}ms, limit: ${maxMs}ms) (err-mimir-max-query-length). To adjust the related per-tenant limit, configure -querier.max-partial-query-length, or contact your service administrator.`,
  },
  cortex: {
    prefix: "/prometheus",
    // Its build details are off by default.
    buildInfo: undefined,
    readsChunks: false,
    refusal: (spanMs: number, maxMs: number) =>
      `the query time range exceeds the limit (query length: ${spanMs}ms, limit: ${maxMs}ms)`,
  },
  thanos: {
    prefix: "",
    buildInfo: { version: "0.42.5", revision: "x", goVersion: "go1.26.8" },
    readsChunks: false,
    refusal: () => "",
  },
} as const;

const tenant = "team-a";

/** Starts a front on a loopback port. @param prometheusUrl of the real server */
export async function startStoreFront(kind: FrontKind, prometheusUrl: string): Promise<StoreFront> {
  const { prefix, buildInfo, readsChunks, refusal } = habits[kind];
  let requests = 0;

  async function reply(path: string, message: IncomingMessage, body: Buffer): Promise<Reply> {
    requests++;
    if (!path.startsWith(`${prefix}/api/v1/`)) return notFound;
    const endpoint = path.slice(prefix.length);
    if (endpoint === "/api/v1/status/buildinfo" && buildInfo !== undefined)
      return json(200, { status: "success", data: buildInfo });
    if (!/^\/api\/v1\/(?:read|query|query_range|label\/|metadata)/.test(endpoint)) return notFound;
    if (kind !== "thanos" && message.headers["x-scope-orgid"] !== tenant) return text(401, "no org id\n");
    return endpoint === "/api/v1/read" ? read(body) : query(endpoint, message, body);
  }

  async function read(body: Buffer): Promise<Reply> {
    if (kind === "thanos") return notFound;
    const [first] = decodeReadRequest(body).queries;
    const spanMs = Number(first?.endTimestampMs) - Number(first?.startTimestampMs);
    if (spanMs > front.maxSpanMs) return text(400, refusal(spanMs, front.maxSpanMs));
    front.readSpansMs.push(spanMs);
    return forward("/api/v1/read", readsChunks ? body : withoutChunks(body), "application/x-protobuf");
  }

  async function query(endpoint: string, message: IncomingMessage, body: Buffer): Promise<Reply> {
    const type = message.headers["content-type"];
    const answered = await forward(endpoint, message.method === "POST" ? body : undefined, type);
    if (!front.isPartial) return answered;
    if (new URLSearchParams(body.toString()).get("partial_response") === "false")
      return json(422, { status: "error", errorType: "execution", error: "10.0.0.7:10901 is away" });
    const whole = JSON.parse(answered.body.toString()) as object;
    return json(200, { ...whole, warnings: ["10.0.0.7:10901 is away"] });
  }

  async function forward(path: string, body: Buffer | undefined, type = ""): Promise<Reply> {
    const response = await fetch(`${prometheusUrl}${path}`, {
      ...(body !== undefined && {
        ...{ method: "POST", body: new Uint8Array(body) },
        headers: { "content-type": type, ...(path === "/api/v1/read" && { "content-encoding": "snappy" }) },
      }),
    });
    return {
      status: response.status,
      type: response.headers.get("content-type") ?? "",
      body: Buffer.from(await response.arrayBuffer()),
    };
  }

  const server = createServer((message, response) => {
    const pieces: Buffer[] = [];
    message.on("data", (piece: Buffer) => pieces.push(piece));
    message.on("end", () => {
      reply(message.url ?? "/", message, Buffer.concat(pieces)).then(
        ({ status, type = "text/plain; charset=utf-8", body }) =>
          response.writeHead(status, { "content-type": type }).end(body),
        () => response.destroy(),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const front: StoreFront = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    tenant,
    readSpansMs: [],
    get requests() {
      return requests;
    },
    maxSpanMs: Infinity,
    isPartial: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return front;
}

const notFound: Reply = { status: 404, body: "404 page not found\n" };

function text(status: number, body: string): Reply {
  return { status, body };
}

function json(status: number, value: unknown): Reply {
  return { status, type: "application/json", body: JSON.stringify(value) };
}
