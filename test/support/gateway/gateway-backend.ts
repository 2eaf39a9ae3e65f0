import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { TLSSocket } from "node:tls";
import type { Certificate } from "../net/certificates.ts";
import { echoFrames, webSocketAccept } from "./web-socket-echo.ts";

/** What arrived at a backend, to the letter. */
export interface ReceivedRequest {
  readonly method: string;
  /** The request target as received. */
  readonly url: string;
  readonly httpVersion: string;
  /** Names and values as received, in their order; each character is a byte (latin1). */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** With TLS, the name that the client asked for (SNI); "" for none. */
  readonly serverName?: string;
}

/** The JSON body of an answer. */
export interface Echo extends ReceivedRequest {
  /** Bytes of the request's body, without its framing. */
  readonly bodyBytes: number;
  /** The backend that answered. */
  readonly name: string;
}

/**
 * Answers every request with an {@link Echo} when its body has been read, and WebSockets with their own frames.
 * Some paths do otherwise (a query does not matter):
 *
 * - `/slow/<ms>`: the same, so much later
 * - `/hang`: reads the request and never answers
 * - `/status/<n>`: the same with this status, without a body for 204 and 304
 * - `/fails/<n>/<what>/<id>`: the first n requests of this path get the status `what`, or with `end` the end of
 *   their connection, with `hang` nothing
 * - `/bytes/<n>`: so many bytes, as fast as they are read
 * - `/sse`: an event each 100 ms, `data: 0`, `data: 1` and so on, until the client goes away
 * - `/die`: promises 1,000 bytes, sends 10, and breaks the connection
 * - `/big-head`, `/big-head/<n>`: an answer with more than so many bytes of head; 65,536 by default
 */
export interface GatewayBackend extends AsyncDisposable {
  readonly name: string;
  readonly port: number;
  /** `http://host:port` */
  readonly url: string;
  /** Of the HTTPS server; 0 without a certificate. */
  readonly tlsPort: number;
  /** `https://host:tlsPort`; "" without a certificate. */
  readonly tlsUrl: string;
  /** Requests whose head arrived, WebSockets included, since the start. */
  readonly requests: number;
  /** Requests that are neither answered nor given up by the client, and open WebSockets. */
  readonly open: number;
  /** Connections accepted since the start. */
  readonly connections: number;
  /** The last 1,000 requests, oldest first. */
  readonly received: readonly ReceivedRequest[];
  /**
   * The targets of requests whose client went away before the answer was complete. A WebSocket is among them
   * when its connection ends without a close frame.
   */
  readonly gone: readonly string[];
  /** Breaks all connections and stops listening. Idempotent. */
  close(): Promise<void>;
}

export interface GatewayBackendOptions {
  /** Default: `backend`. */
  readonly name?: string;
  /** An address of this machine; default: 127.0.0.1. */
  readonly host?: string;
  /** Default: a free one. */
  readonly port?: number;
  /** Starts an HTTPS server too. */
  readonly tls?: Certificate;
}

/** What the handlers share. */
interface Shared {
  readonly name: string;
  requests: number;
  open: number;
  connections: number;
  readonly received: ReceivedRequest[];
  readonly gone: string[];
  /** Ends of what would outlive the connections: timers. */
  readonly ends: Set<() => void>;
  readonly sockets: Set<Socket>;
}

const keptRequests = 1000;
const eventIntervalMs = 100;
const piece = Buffer.alloc(64 * 1024, "0123456789abcdef");

// The gateway's limits are under test, not those of Node's parser, nor its time limits.
const serverOptions = {
  maxHeaderSize: 1024 * 1024,
  requireHostHeader: false,
  keepAliveTimeout: 0,
  requestTimeout: 0,
  headersTimeout: 0,
};

export async function startGatewayBackend(options: GatewayBackendOptions = {}): Promise<GatewayBackend> {
  const { name = "backend", host = "127.0.0.1", tls } = options;
  const shared: Shared = {
    ...{ name, requests: 0, open: 0, connections: 0, received: [], gone: [] },
    ...{ ends: new Set(), sockets: new Set() },
  };
  const servers = [createServer(serverOptions)];
  if (tls !== undefined) servers.push(createTlsServer({ ...serverOptions, ...tls }));
  const ports: number[] = [];
  for (const [index, server] of servers.entries()) {
    serve(server, shared);
    ports.push(await listen(server, host, index === 0 ? (options.port ?? 0) : 0));
  }
  const [port = 0, tlsPort = 0] = ports;
  const authority = host.includes(":") ? `[${host}]` : host;
  const close = async (): Promise<void> => {
    for (const end of shared.ends) end();
    for (const socket of shared.sockets) socket.destroy();
    // A second close is refused, and does no harm.
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  return {
    ...{ name, port, tlsPort },
    url: `http://${authority}:${port}`,
    tlsUrl: tls === undefined ? "" : `https://${authority}:${tlsPort}`,
    get requests() {
      return shared.requests;
    },
    get open() {
      return shared.open;
    },
    get connections() {
      return shared.connections;
    },
    received: shared.received,
    gone: shared.gone,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return (server.address() as { port: number }).port;
}

function serve(server: Server, shared: Shared): void {
  server.maxHeadersCount = 0;
  server.on("connection", (socket: Socket) => {
    shared.connections++;
    shared.sockets.add(socket);
    socket.once("close", () => shared.sockets.delete(socket));
  });
  server.on("request", (request, response) => {
    const received = note(request, shared);
    response.once("close", () => {
      shared.open--;
      if (!response.writableFinished && !isOwnEnd(request.url)) shared.gone.push(received.url);
    });
    // It fails when the client goes away, which `gone` tells.
    answer(request, response, received, shared).catch(() => response.destroy());
  });
  server.on("upgrade", (request, socket: Socket, early: Buffer) => {
    upgrade(request, socket, early, note(request, shared), shared);
  });
}

/** Whether the path is one at which this side breaks the connection. */
function isOwnEnd(url: string | undefined): boolean {
  return pathOf(url) === "/die" || /^\/fails\/.*\/end\//.test(pathOf(url));
}

function pathOf(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0] ?? "";
}

function note(request: IncomingMessage, shared: Shared): ReceivedRequest {
  const { method = "", url = "", httpVersion, rawHeaders, socket } = request;
  const headers: [string, string][] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.push([rawHeaders[at] ?? "", rawHeaders[at + 1] ?? ""]);
  }
  const isTls = socket instanceof TLSSocket;
  const received: ReceivedRequest = {
    ...{ method, url, httpVersion, headers },
    ...(isTls ? { serverName: socket.servername || "" } : {}),
  };
  shared.requests++;
  shared.open++;
  shared.received.push(received);
  if (shared.received.length > keptRequests) shared.received.shift();
  return received;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedRequest,
  shared: Shared,
): Promise<void> {
  let bodyBytes = 0;
  for await (const bytes of request) bodyBytes += (bytes as Buffer).length;
  const echo: Echo = { ...received, bodyBytes, name: shared.name };
  const [, action = "", argument = ""] = pathOf(request.url).split("/");
  const amount = Number(argument);
  switch (action) {
    case "hang":
      return;
    case "slow":
      after(amount, response, shared, () => send(response, 200, echo));
      return;
    case "status":
      return send(response, amount, echo);
    case "fails": {
      const [, , , what = "", id] = pathOf(request.url).split("/");
      const same = shared.received.filter(({ url }) => url.endsWith(`/${id}`)).length;
      if (same > amount) return send(response, 200, echo);
      if (what === "hang") return;
      if (what === "end") response.destroy();
      else send(response, Number(what), echo);
      return;
    }
    case "bytes":
      response.writeHead(200, { "content-type": "application/octet-stream", "content-length": amount });
      return pipeline(Readable.from(pieces(amount)), response);
    case "sse":
      return sendEvents(response, shared);
    case "die":
      response.writeHead(200, { "content-length": 1000 });
      response.write("0123456789", () => response.destroy());
      return;
    case "big-head":
      for (const [at, value] of bigValues(argument === "" ? 65_536 : amount).entries()) {
        response.setHeader(`x-big-${at}`, value);
      }
      return send(response, 200, echo);
    default:
      return send(response, 200, echo);
  }
}

function send(response: ServerResponse, status: number, echo: Echo): void {
  if (status === 204 || status === 304) {
    response.writeHead(status).end();
    return;
  }
  const body = asciiJson(echo);
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
  response.end(body);
}

/** JSON that reads the same as latin1 and as UTF-8. */
function asciiJson(echo: Echo): string {
  return JSON.stringify(echo).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function* pieces(total: number): Generator<Buffer> {
  for (let left = total; left > 0; left -= piece.length)
    yield piece.subarray(0, Math.min(left, piece.length));
}

function bigValues(total: number): string[] {
  return Array.from({ length: Math.ceil(total / 4096) }, () => "x".repeat(4096));
}

function after(ms: number, response: ServerResponse, shared: Shared, act: () => void): void {
  const timer = setTimeout(() => act(), ms);
  const end = (): void => {
    clearTimeout(timer);
    shared.ends.delete(end);
  };
  shared.ends.add(end);
  response.once("close", end);
}

function sendEvents(response: ServerResponse, shared: Shared): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
  let count = 0;
  const event = (): void => {
    response.write(`data: ${count++}\n\n`);
    after(eventIntervalMs, response, shared, event);
  };
  event();
}

/** WebSocket; any other protocol is declined with an ordinary answer, as RFC 9110, section 7.8 has it. */
function upgrade(
  request: IncomingMessage,
  socket: Socket,
  early: Buffer,
  received: ReceivedRequest,
  shared: Shared,
): void {
  let isEnded = false;
  socket.on("error", () => undefined);
  socket.once("end", () => socket.end());
  socket.once("close", () => {
    shared.open--;
    if (!isEnded) shared.gone.push(received.url);
  });
  const key = request.headers["sec-websocket-key"];
  if (request.headers.upgrade?.toLowerCase() !== "websocket" || key === undefined) {
    isEnded = true;
    const body = asciiJson({ ...received, bodyBytes: 0, name: shared.name });
    const head = `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close`;
    socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n${body}`);
    return;
  }
  const lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"];
  lines.push(`Sec-WebSocket-Accept: ${webSocketAccept(key)}`, `X-Backend: ${shared.name}`, "", "");
  socket.write(lines.join("\r\n"));
  echoFrames(socket, early, () => {
    isEnded = true;
  });
}
