import type { ResponseHeaders } from "../../../base/http/response-head.ts";

/** Result of one HTTP request. */
export type PostResult =
  | {
      readonly kind: "response";
      readonly status: number;
      readonly headers: ResponseHeaders;
      /** The beginning of the body, decompressed, for people: never used for decisions. */
      readonly body: string;
      /** The body may be longer, although it is shorter than `keptBytes`. */
      readonly isBodyCut?: true;
    }
  | {
      readonly kind: "no-response";
      readonly error: unknown;
      /** False: not a byte of the request was sent, so nothing can have been stored. */
      readonly written: boolean;
    }
  | { readonly kind: "aborted"; readonly written: boolean };

/** The part shared by many requests. Reusing one object avoids validating and assembling it again. */
export interface PostTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PostRequest {
  readonly target: PostTarget;
  readonly body: Buffer;
  /** The tenant of the samples; see {@link HttpRequest.tenant}. */
  readonly tenant: string;
  /** Asked when a connection is open, right before the request is written; false: the result is `aborted`. */
  readonly maySend?: (() => boolean) | undefined;
}

export interface PostLimits {
  /**
   * Until a free connection is available. Connecting has its own limit below; this one applies to an
   * exhausted pool.
   */
  readonly startMs: number;
  /** From the writing of the request to the end of the response's headers. */
  readonly headersMs: number;
  /** For the response's body, once its headers have arrived. */
  readonly bodyMs: number;
  /** Maximum size of a response's body; the connection of a longer one is closed. */
  readonly bodyBytes: number;
  /** Maximum size of the body kept as text. */
  readonly keptBytes: number;
}

export const postLimits: PostLimits = {
  startMs: 60_000,
  headersMs: 30_000,
  bodyMs: 5_000,
  bodyBytes: 65_536,
  // Twice the quoted length: credentials are redacted before the text is truncated.
  keptBytes: 2_048,
};

export interface TransportLimits {
  /** For name resolution, TCP, a proxy's tunnel and TLS together. */
  readonly connectMs: number;
  /** Maximum number of connections to one origin; further requests wait. */
  readonly connections: number;
}

export const transportLimits: TransportLimits = { connectMs: 10_000, connections: 512 };

/**
 * Lifetime of an idle connection: longer than the usual interval of 15 s, so that it survives from cycle to
 * cycle, and shorter than the idle limits of common servers and load balancers (60 s and more). A limit
 * announced in the receiver's `Keep-Alive` header takes precedence.
 */
export const keepMs = 20_000;

/** Age of a connection that gets no further request; see `ConnectionsOptions.maxAgeMs`. */
export const maxAgeMs = 90_000;

/** The receiver got the request and did not respond in time. */
export class ResponseTimeoutError extends Error {
  override readonly name = "ResponseTimeoutError";
}

/** All permitted connections are in use by requests without a response. */
export class NoConnectionError extends Error {
  override readonly name = "NoConnectionError";
}

/** Sends requests to receivers over connections that are pooled by origin and kept between requests. */
export interface Transport {
  /**
   * Sends one POST, once, and waits for its response. Never rejects: every failure is a result.
   *
   * Once the headers have arrived, the status decides: a slow, endless or truncated body is abandoned
   * together with its connection, without changing the result.
   */
  post(request: PostRequest, limits: PostLimits, signal: AbortSignal): Promise<PostResult>;

  /** Ends all connections, including open requests. May be called twice. */
  close(): Promise<void>;
}
