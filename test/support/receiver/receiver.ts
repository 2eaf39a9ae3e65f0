import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { SampleSet, type SampleValue, seriesKey } from "../../../scripts/samples/sample-set.ts";
import {
  decodeMetadata,
  decodeWriteRequest,
  type WireMetadata,
  type WireSeries,
} from "../../../scripts/samples/wire-codec.ts";
import { sleep } from "../../../src/base/core/clock.ts";

/** A request received by the receiver. */
export interface ReceivedRequest {
  /** 0 for the first one. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** As sent, compressed. */
  readonly body: Buffer;
  /** Empty when the body is not a remote-write 1.0 request; `decodeError` then contains the reason. */
  readonly series: readonly WireSeries[];
  /** Empty in a request of samples: metadata has requests of its own. */
  readonly metadata: readonly WireMetadata[];
  readonly decodeError: string | undefined;
  /** `performance.now()` at the end of the body. */
  readonly receivedAtMs: number;
}

/** Describes the response to one request. Default: 204 at once, and the samples count as stored. */
export interface ReceiverResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Delay before the response. */
  readonly delayMs?: number;
  /**
   * `hang`: never responds. `reset`: closes with RST, without a response. `cut`: a header, half of the body,
   * then RST.
   */
  readonly fault?: "hang" | "reset" | "cut";
  /** Writes the response itself; status, headers and body are ignored then. See `odd-responses.ts`. */
  readonly by?: (response: ServerResponse, socket: Socket) => void;
  /** Whether the samples are stored; by default when the status is 2xx and no fault is set. */
  readonly store?: boolean;
}

/** A remote-write 1.0 receiver in this process, over real HTTP, that responds as scripted by a test. */
export interface Receiver extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/api/v1/write`, or https. */
  readonly url: string;
  readonly port: number;
  /** In order of arrival, with or without a response. */
  readonly requests: readonly ReceivedRequest[];
  /** Stored samples, duplicates included. NaN represents a staleness marker; any other NaN is an error. */
  samples(): SampleSet;
  /** The stored samples of each series in order of arrival, to check their time order. */
  arrivals(): ReadonlyMap<string, readonly { readonly timestampMs: number; readonly value: SampleValue }[]>;
  /** Number of open requests now, and the maximum so far. */
  inFlight(): { readonly now: number; readonly most: number };
  /** Connections opened so far; with keep-alive fewer than the requests. */
  connections(): number;
  /** Connections currently open. */
  openConnections(): number;
  /** From now on, responds with the result of `script`; undefined means stored with 204. */
  respond(
    script: (
      request: ReceivedRequest,
    ) => ReceiverResponse | undefined | Promise<ReceiverResponse | undefined>,
  ): void;
  /** Forgets requests and samples. */
  clear(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ReceiverOptions {
  /** Reuses the port of an earlier receiver; default: a free one. */
  readonly port?: number;
  /** Serves https with these PEM texts; with a `ca`, clients must present a certificate issued by it. */
  readonly tls?: TlsOptions & { readonly key: string; readonly cert: string };
}

export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  let requests: ReceivedRequest[] = [];
  let stored: WireSeries[] = [];
  let script: Parameters<Receiver["respond"]>[0] = () => undefined;
  let now = 0;
  let most = 0;
  let count = 0;
  let connectionCount = 0;
  const sockets = new Set<Socket>();
  const closing = new AbortController();

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const request = received(count++, message, Buffer.concat(chunks));
    requests.push(request);
    const wanted = (await script(request)) ?? {};
    if (wanted.delayMs !== undefined) await sleep(wanted.delayMs, closing.signal);
    const status = wanted.status ?? 204;
    const isStored =
      wanted.store ??
      (status >= 200 && status < 300 && wanted.fault === undefined && wanted.by === undefined);
    if (isStored) stored.push(...request.series);
    if (wanted.by !== undefined) {
      wanted.by(response, message.socket);
      return;
    }
    if (wanted.fault === "hang") return;
    if (wanted.fault === "reset") {
      message.socket.resetAndDestroy();
      return;
    }
    response.writeHead(status, wanted.headers);
    if (wanted.fault === "cut") {
      response.write(wanted.body ?? "half of an ans");
      setImmediate(() => message.socket.resetAndDestroy());
      return;
    }
    response.end(wanted.body);
  }

  const onRequest = (message: IncomingMessage, response: ServerResponse) => {
    now++;
    most = Math.max(most, now);
    response.once("close", () => now--);
    handle(message, response).catch((error: unknown) => {
      // The sender has disconnected, or the receiver is closing: no response is possible. A fault of a script
      // is shown.
      if (!response.headersSent && !message.socket.destroyed && !closing.signal.aborted) {
        response.writeHead(599).end(`receiver script: ${String(error)}`);
      }
    });
  };
  const { tls } = options;
  const server =
    tls === undefined
      ? createServer(onRequest)
      : createTlsServer({ ...tls, requestCert: tls.ca !== undefined }, onRequest);
  server.on("connection", (socket) => {
    connectionCount++;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the receiver has no port");
  const { port } = address;

  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/api/v1/write`,
    port,
    get requests() {
      return requests;
    },
    samples() {
      const set = new SampleSet();
      for (const { labels, samples } of stored) {
        const key = seriesKey(labels);
        for (const sample of samples) set.add(key, sample.timestampMs, checked(key, sample));
      }
      return set;
    },
    arrivals() {
      const bySeries = new Map<string, { timestampMs: number; value: SampleValue }[]>();
      for (const { labels, samples } of stored) {
        const key = seriesKey(labels);
        const list = bySeries.get(key) ?? [];
        for (const { timestampMs, value } of samples) list.push({ timestampMs, value });
        bySeries.set(key, list);
      }
      return bySeries;
    },
    inFlight: () => ({ now, most }),
    connections: () => connectionCount,
    openConnections: () => sockets.size,
    respond(next) {
      script = next;
    },
    clear() {
      requests = [];
      stored = [];
      most = now;
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function received(index: number, message: IncomingMessage, body: Buffer): ReceivedRequest {
  let series: readonly WireSeries[] = [];
  let metadata: readonly WireMetadata[] = [];
  let decodeError: string | undefined;
  try {
    series = decodeWriteRequest(body);
    if (series.length === 0) metadata = decodeMetadata(body);
  } catch (error) {
    decodeError = String(error);
  }
  return {
    index,
    method: message.method ?? "",
    path: message.url ?? "",
    headers: message.headers,
    body,
    series,
    metadata,
    decodeError,
    receivedAtMs: performance.now(),
  };
}

function checked(key: string, sample: WireSeries["samples"][number]): SampleValue {
  if (Object.is(sample.value, Number.NaN) && !sample.isStale)
    throw new Error(`${key}: a NaN that is no marker`);
  return sample.value;
}
