import { type Dispatcher, request } from "undici";
import { defined } from "../../../base/core/defined.ts";
import { describeError } from "../../../base/core/errors.ts";
import { withLimit } from "../../../base/core/signals.ts";
import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { limitedText } from "./exchange.ts";
import type { Throttle } from "./throttle.ts";
import type { TokenProvider } from "./token-provider.ts";

type Method = "GET" | "PATCH" | "POST";

/** HTTP client of one control plane. */
export interface PlaneClient {
  /** Resolves when the server takes requests: at once, unless it has asked for a pause. */
  ready(signal: AbortSignal): Promise<void>;
  /** Sends one request and reads a JSON response. */
  send(method: Method, path: string, options: SendOptions, signal: AbortSignal): Promise<ApiOutcome>;
  /**
   * Opens a watch and passes on each line as it arrives.
   *
   * @returns how it ended: `closed` cleanly by the server, or as {@link send}
   */
  watch(
    path: string,
    options: Pick<SendOptions, "query" | "accept">,
    onLine: (line: string) => void,
    signal: AbortSignal,
  ): Promise<Streamed>;
}

export interface StreamingClient extends PlaneClient {
  /** Passes on the bytes of a response as they arrive, each piece when the one before is taken. */
  bytes(
    path: string,
    options: Pick<SendOptions, "query">,
    take: (bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Streamed>;
}

/** How a response without an end of its own has ended. */
export type Streamed = { readonly outcome: "closed" } | Exclude<ApiOutcome, { outcome: "ok" }>;

export interface SendOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  /** Defaults to plain JSON. */
  readonly accept?: string;
  /** The right to it may be missing: 403 says nothing about the token. */
  readonly isOptional?: boolean;
}

/** `rejected`: an error response, with its Status message. `failed`: no usable response. */
export type ApiOutcome =
  | { readonly outcome: "ok"; readonly json: Record<string, unknown> }
  | { readonly outcome: "rejected"; readonly code: number; readonly message: string }
  | { readonly outcome: "failed"; readonly message: string };

export interface PlaneClientOptions {
  /** Base URL of the control plane. */
  readonly base: string;
  readonly bearer: TokenProvider;
  readonly dispatcher: Dispatcher;
  /** Shared by all clients of one server. */
  readonly throttle: Throttle;
  /** A watch that receives nothing for this long, not even a bookmark, is considered lost. */
  readonly silentMs: number;
}

/** Of a request with all its tries. */
const responseLimitMs = 30_000;
/** As many tries as client-go makes. */
const maxRefusals = 10;
const maxResponseBytes = 64 * 2 ** 20;
const maxLineBytes = 16 * 2 ** 20;

export function createPlaneClient(options: PlaneClientOptions): StreamingClient {
  const base = options.base.replace(/\/+$/, "");

  /** One attempt, and a second one at once with a new token if the first was rejected. */
  const attempt = async (
    path: string,
    init: { method: Method; headers?: Record<string, string>; body?: string; bodyTimeout: number },
    { query = {}, isOptional = false }: Pick<SendOptions, "query" | "isOptional">,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> => {
    for (let isSecond = false; ; isSecond = true) {
      await options.throttle.passed(signal);
      const token = await options.bearer.token(signal);
      const search = new URLSearchParams(query).toString();
      const response = await request(`${base}${path}${search === "" ? "" : `?${search}`}`, {
        ...init,
        dispatcher: options.dispatcher,
        headersTimeout: responseLimitMs,
        headers: defined({
          accept: "application/json",
          ...init.headers,
          authorization: token === "" ? undefined : `Bearer ${token}`,
        }),
        signal,
      });
      const isForbidden = response.statusCode === 403 && !isOptional;
      const isRejected = response.statusCode === 401 || isForbidden;
      if (!isRejected) return response;
      options.bearer.rejected(token);
      if (isSecond || (await options.bearer.token(signal)) === token) return response;
      await response.body.dump();
    }
  };

  const isPause = ({ statusCode, headers }: Dispatcher.ResponseData): boolean =>
    options.throttle.isPause(statusCode, headers["retry-after"]?.toString());

  const streamed = async (
    path: string,
    init: Parameters<typeof attempt>[1],
    query: Readonly<Record<string, string>>,
    read: (body: AsyncIterable<Uint8Array>) => Promise<void>,
    signal: AbortSignal,
  ): Promise<Streamed> => {
    try {
      const response = await attempt(path, init, { query }, signal);
      if (response.statusCode !== 200) {
        isPause(response);
        const text = await limitedText(response.body, maxResponseBytes);
        const outcome = readResponse(response.statusCode, text);
        return outcome.outcome === "ok" ? { outcome: "failed", message: "no stream" } : outcome;
      }
      await read(response.body);
      return { outcome: "closed" };
    } catch (error) {
      signal.throwIfAborted();
      return { outcome: "failed", message: describeError(error) };
    }
  };

  return {
    ready: (signal) => options.throttle.passed(signal),

    async send(method, path, options, signal) {
      const { body, contentType = "application/json", accept } = options;
      try {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const headers = defined({
          accept,
          "content-type": body === undefined ? undefined : contentType,
        });
        const init = { method, ...sent, headers, bodyTimeout: responseLimitMs };
        return await withLimit(signal, responseLimitMs, async (limited) => {
          for (let refusals = 0; ; refusals++) {
            const response = await attempt(path, init, options, limited);
            const outcome = readResponse(
              response.statusCode,
              await limitedText(response.body, maxResponseBytes),
            );
            if (!isPause(response) || refusals === maxRefusals) return outcome;
          }
        });
      } catch (error) {
        signal.throwIfAborted();
        return { outcome: "failed", message: describeError(error) };
      }
    },
    async watch(path, { query = {}, accept }, onLine, signal) {
      const init = { method: "GET" as const, headers: defined({ accept }), bodyTimeout: options.silentMs };
      return await streamed(path, init, query, (body) => readLines(body, onLine), signal);
    },
    async bytes(path, { query = {} }, take, signal) {
      // What is followed may be silent for long.
      const init = { method: "GET" as const, headers: { accept: "*/*" }, bodyTimeout: 0 };
      const takeAll = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
        for await (const piece of body) await take(piece);
      };
      return await streamed(path, init, query, takeAll, signal);
    },
  };
}

async function readLines(body: AsyncIterable<Uint8Array>, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (rest.length > maxLineBytes) throw new Error("an event is too large");
    for (const line of lines) if (line !== "") onLine(line);
  }
}

function readResponse(code: number, text: string): ApiOutcome {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  if (code >= 200 && code < 300) {
    if (isObject(json)) return { outcome: "ok", json };
    return { outcome: "failed", message: "the response is no JSON object" };
  }
  const message = isObject(json) && typeof json["message"] === "string" ? json["message"] : "";
  return { outcome: "rejected", code, message: `HTTP ${code}${message === "" ? "" : `: ${message}`}` };
}
