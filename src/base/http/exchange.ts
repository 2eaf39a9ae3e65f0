import type { RequestHead } from "./request-head.ts";
import type { ResponseHead } from "./response-head.ts";

export interface HttpRequest {
  readonly head: RequestHead;
  readonly body?: Buffer;
  /** Whose request it is; tenants take turns where name lookups or connections are scarce. */
  readonly tenant?: string;
}

/** What comes next after a piece of a body: more at once, more when a promise has settled, or no more at all. */
export type Flow = "more" | "enough" | Promise<unknown>;

export interface ResponseReceiver {
  /** The request is written right after this. Where it was not called, not a byte of it went out. */
  sending?(): void;
  /** @returns whether the body is wanted */
  begin(head: ResponseHead): boolean;
  /** The bytes are the receiver's until it returns. What it throws ends the exchange. */
  body(bytes: Buffer): Flow;
}

/** How long one exchange may take, in ms; Infinity is no limit. */
export interface ExchangeLimits {
  /** Until a connection is free, where all that may be open are in use. */
  readonly startMs: number;
  /** From the writing of the request to the end of the response's head. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyIdleMs: number;
  /** For the body as a whole, once the head has come. */
  readonly bodyMs: number;
}

/** No connection was made: nothing was sent. */
export class ConnectError extends Error {}

/** The client was closed before a connection was made. */
export class ClosedClient extends ConnectError {
  constructor() {
    super("the client is closed");
  }
}

/** All connections that may be open were in use for too long: nothing was sent. */
export class PoolTimeout extends Error {}

/** The connection ended in the middle of an exchange. */
export class LostConnection extends Error {
  /** Nothing of a response had come. */
  readonly isBeforeResponse: boolean;

  constructor(message: string, isBeforeResponse: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isBeforeResponse = isBeforeResponse;
  }
}

/** The other side kept us waiting. */
export class ResponseTimeout extends Error {}
