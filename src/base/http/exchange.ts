import type { RequestHead } from "./request-head.ts";
import type { ResponseHead } from "./response-head.ts";

export interface HttpRequest {
  readonly head: RequestHead;
  readonly body?: Buffer;
  /** The tenant of the request; tenants take turns when name lookups or connections are scarce. */
  readonly tenant?: string;
}

/**
 * The receiver's reply to a piece of a body: continue, continue when a promise has settled, or stop. An
 * exchange ends with a body's last byte: it does not wait for the promise of that piece.
 */
export type Flow = "more" | "enough" | Promise<unknown>;

export interface ResponseReceiver {
  /**
   * Called right before the request is written. If it was not called, or threw, no byte of the request was
   * sent.
   */
  sending?(): void;
  /** @returns whether to receive the body */
  begin(head: ResponseHead): boolean;
  /** `bytes` is valid until it returns. An exception ends the exchange. */
  body(bytes: Buffer): Flow;
}

/** Limits of one exchange, in ms; Infinity for none. */
export interface ExchangeLimits {
  /** Until a connection is available. */
  readonly startMs: number;
  /** From writing the request to the end of the response's head. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyIdleMs: number;
  /** The whole body, from the end of the head. */
  readonly bodyMs: number;
}

/** No connection was established: nothing was sent. */
export class ConnectError extends Error {}

/** The client was closed before a connection was established. */
export class ClosedClient extends ConnectError {
  constructor() {
    super("the client is closed");
  }
}

/** No connection became available in time: nothing was sent. */
export class PoolTimeout extends Error {}

/** The connection closed during an exchange. */
export class LostConnection extends Error {
  /** No part of a response was received. */
  readonly isBeforeResponse: boolean;

  constructor(message: string, isBeforeResponse: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isBeforeResponse = isBeforeResponse;
  }
}

/** The server did not respond in time. */
export class ResponseTimeout extends Error {}
