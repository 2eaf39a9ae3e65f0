import type { ResponseHeaders } from "../../../base/http/response-head.ts";

/** What became of one HTTP request. */
export type PostResult =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly headers: ResponseHeaders;
      /** The beginning of the body, for people: decisions never use it. */
      readonly body: string;
    }
  | {
      readonly kind: "no-response";
      readonly error: unknown;
      /** False: not a byte of the request went out, so that nothing can have been stored. */
      readonly written: boolean;
    }
  | { readonly kind: "aborted"; readonly written: boolean };

/** What is the same for many requests. One object for them all spares its being checked and put together again. */
export interface PostTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PostRequest {
  readonly target: PostTarget;
  readonly body: Buffer;
  /** Whose samples they are; see {@link HttpRequest.tenant}. */
  readonly tenant: string;
}

export interface PostLimits {
  /** Until a connection is there and free: with a limit of its own below, this one is for a pool that is used up. */
  readonly startMs: number;
  /** From the writing of the request to the end of the response's headers. */
  readonly headersMs: number;
  /** For the response's body, once its headers are there. */
  readonly bodyMs: number;
  /** A response's body is read so far; the connection of a longer one is dropped. */
  readonly bodyBytes: number;
  /** So much of it is kept as text. */
  readonly keptBytes: number;
}

export const postLimits: PostLimits = {
  startMs: 60_000,
  headersMs: 30_000,
  bodyMs: 5_000,
  bodyBytes: 65_536,
  // Twice of what is quoted: credentials are taken out before that is cut off.
  keptBytes: 2_048,
};

export interface TransportLimits {
  /** For name resolution, TCP and TLS together; and for a proxy's response to CONNECT. */
  readonly connectMs: number;
  /** Connections to one origin, at most; more requests than that wait for one. */
  readonly connections: number;
}

export const transportLimits: TransportLimits = { connectMs: 10_000, connections: 512 };

/**
 * How long a connection is kept without a request: longer than the usual interval of 15 s, so that it lives from cycle to
 * cycle; shorter than the idle limits of common servers and load balancers (60 s and more). A receiver that announces
 * another limit in `Keep-Alive` is obeyed.
 */
export const keepMs = 20_000;

/** The receiver took the request and did not respond in time. */
export class ResponseTimeoutError extends Error {
  override readonly name = "ResponseTimeoutError";
}

/** All connections that may be open are taken by requests that have no response yet. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/** The way to receivers: connections that are pooled by origin and kept between requests. */
export interface Transport {
  /**
   * Sends one POST, once, and waits for its response. Never rejects: whatever happens is a value.
   *
   * Once the headers have come the status decides: a body that is slow, endless or cut off is given up without changing
   * the result, and the connection goes with it.
   */
  post(request: PostRequest, limits: PostLimits, signal: AbortSignal): Promise<PostResult>;

  /** Ends all connections, open requests included. May be called twice. */
  close(): Promise<void>;
}
