import { type Dispatcher, Pool } from "undici";
import { z } from "zod";
import { withLimit } from "../../../base/core/signals.ts";
import { redact } from "../../../base/log/redact.ts";
import { RuntimeError } from "../runtime/runtime.ts";

/** HTTP client of a container engine, bounded in time and bytes. Paths are those of the Docker Engine API. */
export interface EngineClient {
  /**
   * Sends one request.
   *
   * @returns the JSON of the response, undefined if it has none
   * @throws EngineRefusal for an error response; RuntimeError if there is none in time
   */
  send(method: EngineMethod, path: string, options: EngineRequest, signal: AbortSignal): Promise<unknown>;
  /**
   * Sends a request whose response is a stream of JSON lines, and passes each one on as it arrives. Resolves
   * when the engine ends the response. @throws as {@link send}
   */
  lines(
    method: "GET" | "POST",
    path: string,
    options: EngineLines,
    onLine: (json: unknown) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /**
   * Sends a request whose response is a stream of bytes, and passes on each piece when the one before is
   * taken. Resolves when the engine ends the response. @throws as {@link send}, and what `take` throws
   */
  bytes(
    path: string,
    options: Pick<EngineRequest, "query">,
    take: (bytes: Uint8Array) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
  close(): Promise<void>;
}

export type EngineMethod = "GET" | "POST" | "DELETE";

export interface EngineRequest {
  /** An object becomes JSON, as the API has its filters. */
  readonly query?: Readonly<Record<string, string | number | object>>;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default 30 s. */
  readonly limitMs?: number;
  /** Bytes of the whole response; default 16 MiB. */
  readonly maxBytes?: number;
}

/** `maxBytes`: by default, as many as come. */
export interface EngineLines extends Omit<EngineRequest, "body"> {
  readonly onOpen?: () => void;
}

/** The engine responded that it did not do it. The message is its own, redacted and printable. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The oldest minor version of the API (1.41) with everything that is asked for; Docker 20.10 and Podman 4
 * have it. An engine that no longer has it (Docker 29) is asked with the oldest one that it has.
 */
export const neededVersion = 41;

const usualLimitMs = 30_000;
const maxResponseBytes = 16 * 2 ** 20;
const maxLineLength = 256 * 1024;
/** The engine queues what it does; more requests at once make it no faster. */
const maxConnections = 16;

type PathOptions = Pick<Dispatcher.RequestOptions, "method" | "path" | "headers" | "body"> & {
  readonly signal: AbortSignal;
};

export function createEngineClient(socket: string): EngineClient {
  const pool = new Pool("http://engine", { socketPath: socket, connections: maxConnections });
  // Streams stay open: they must not take the places of requests.
  const streams = new Pool("http://engine", { socketPath: socket });

  let version = neededVersion;

  /** Sends a request; again, if the version of the API in it is one that the engine does not have any longer. */
  async function request(from: Pool, options: PathOptions): Promise<Dispatcher.ResponseData> {
    const { path, ...others } = options;
    const send = () =>
      from.request({ ...others, path: `/v1.${version}${path}`, headersTimeout: 0, bodyTimeout: 0 });
    const asked = version;
    const response = await send();
    if (response.statusCode !== 400) return response;
    version = Math.max(asked, await oldestVersion(from, others.signal));
    if (version === asked) return response;
    await response.body.dump();
    return await send();
  }

  return {
    async send(method, path, { query, body, headers, limitMs = usualLimitMs, maxBytes }, signal) {
      return bounded(socket, limitMs, signal, async (limited) => {
        const response = await request(pool, {
          method,
          path: target(path, query),
          headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
          body: body === undefined ? null : JSON.stringify(body),
          signal: limited,
        });
        const text = await readText(response.body, maxBytes);
        if (response.statusCode >= 400) throw refusalOf(response.statusCode, text);
        return text === "" ? undefined : parsed(text);
      });
    },

    async lines(method, path, { query, headers, limitMs, maxBytes = Infinity, onOpen }, onLine, signal) {
      await bounded(socket, limitMs, signal, async (limited) => {
        const response = await request(streams, {
          method,
          path: target(path, query),
          ...(headers === undefined ? {} : { headers }),
          signal: limited,
        });
        if (response.statusCode >= 400) {
          throw refusalOf(response.statusCode, await readText(response.body));
        }
        onOpen?.();
        await readLines(response.body, maxBytes, onLine);
      });
    },

    async bytes(path, { query }, take, signal) {
      let body: AsyncIterable<Uint8Array> | undefined;
      await bounded(socket, undefined, signal, async (limited) => {
        const options = { method: "GET", path: target(path, query), signal: limited } as const;
        const response = await request(streams, options);
        if (response.statusCode >= 400) throw refusalOf(response.statusCode, await readText(response.body));
        body = response.body;
      });
      for await (const piece of body ?? []) await take(piece);
    },

    async close() {
      await Promise.all([pool.destroy(), streams.destroy()]);
    },
  };
}

function target(path: string, query: EngineRequest["query"] = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    search.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return `${path}${search.size === 0 ? "" : `?${search}`}`;
}

/** @returns the oldest minor version of the API that the engine has; 0 if it does not say so */
async function oldestVersion(pool: Pool, signal: AbortSignal): Promise<number> {
  const options = { method: "GET", path: "/version", headersTimeout: 0, bodyTimeout: 0, signal } as const;
  const { statusCode, body } = await pool.request(options);
  const text = await readText(body);
  if (statusCode !== 200) return 0;
  const { data } = z.object({ MinAPIVersion: z.string() }).safeParse(parsed(text));
  return Number(/^1\.(\d{1,3})$/.exec(data?.MinAPIVersion ?? "")?.[1] ?? 0);
}

async function bounded<T>(
  socket: string,
  limitMs: number | undefined,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await (limitMs === undefined ? work(signal) : withLimit(signal, limitMs, work));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineRefusal || error instanceof RuntimeError) throw error;
    throw new RuntimeError("unavailable", "EngineUnavailable", unavailability(socket, limitMs, error));
  }
}

function unavailability(socket: string, limitMs: number | undefined, error: unknown): string {
  if (error instanceof DOMException && error.name === "TimeoutError" && limitMs !== undefined) {
    return `the engine at ${socket} did not respond within ${limitMs / 1000} s`;
  }
  if (error instanceof TooLarge) return `the engine at ${socket} sent too large a response`;
  return `no engine responds at ${socket}: start podman.socket or set provider.engine.socket`;
}

class TooLarge extends Error {}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes = maxResponseBytes): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function readLines(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  onLine: (json: unknown) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let rest = "";
  for await (const chunk of body) {
    bytes += chunk.length;
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    if (bytes > maxBytes || rest.length > maxLineLength) throw new TooLarge();
    for (const line of lines) if (line.trim() !== "") onLine(parsed(line));
  }
  if (rest.trim() !== "") onLine(parsed(rest));
}

/** Text that is no JSON is returned as it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function refusalOf(status: number, text: string): EngineRefusal {
  const json = parsed(text);
  const message =
    typeof json === "object" && json !== null && "message" in json ? String(json.message) : text;
  return new EngineRefusal(status, engineWords(message) || `HTTP ${status}`);
}

const maxWords = 1024;

/** What the engine said: redacted, on one line, at most 1 KiB. */
export function engineWords(text: string): string {
  // What is cut off first cannot take long to redact.
  const words = redact(text.slice(0, 4 * maxWords)).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
  return Buffer.from(words.trim())
    .subarray(0, maxWords)
    .toString()
    .replace(/\uFFFD$/u, "");
}

/** What a promise gives, or undefined if the engine refused with one of the statuses. */
export async function unlessRefused<T>(
  statuses: readonly number[],
  work: Promise<T>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineRefusal && statuses.includes(error.status)) return undefined;
    throw error;
  }
}

/** What a tenant may read of a refusal: an engine's own words have paths and addresses of its machine. */
const knownRefusals: readonly (readonly [RegExp, string])[] = [
  [
    /executable file.*not found|no such file or directory.*exec|exec.*no such file|no command/i,
    "the image does not have its command",
  ],
  [/exec.*permission denied|permission denied.*exec/i, "the image's command is not executable"],
  [/exec format error/i, "the image is made for another processor"],
  [/no space left on device|disk quota exceeded/i, "the machine's disk is full"],
  [/already (?:in use|allocated|used|assigned)/i, "an address or a port is in use already"],
];

export function shownRefusal(words: string): string {
  const known = knownRefusals.find(([pattern]) => pattern.test(words))?.[1];
  return known ?? "the engine refused it, and the provider's log says why";
}

/** @throws RuntimeError if the engine refused */
export async function refusedAs<T>(reason: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof EngineRefusal) {
      throw new RuntimeError("refused", reason, error.message, shownRefusal(error.message));
    }
    throw error;
  }
}
