import type { EncodedRequest } from "../encoding/request.ts";
import type { RetryReason, Verdict } from "../transport/classify-response.ts";

/**
 * Outcome of a request after all its attempts. `responseLost`: an attempt may have been stored although its
 * response never arrived, so samples that the receiver rejects later may be repeats.
 */
export type Outcome =
  | {
      readonly kind: "delivered";
      readonly status: number;
      /** Samples that the receiver reports as not written: never counted as delivered. Absent: none. */
      readonly unwritten?: number;
    }
  /** No attempt is left, or the receiver requested a pause beyond the limit. */
  | {
      readonly kind: "exhausted";
      readonly reason: RetryReason;
      readonly message: string;
      /** The operator's version of the message, where it says more. */
      readonly detail?: string | undefined;
      readonly status?: number;
      readonly retryAfterMs?: number | undefined;
      readonly responseLost: boolean;
    }
  | {
      readonly kind: "rejected";
      readonly status: number;
      readonly message: string;
      readonly responseLost: boolean;
      /**
       * More than 0: samples that the receiver wrote nevertheless; no part of the request may be repeated.
       */
      readonly written?: number | undefined;
    }
  /** The receiver limits its rate, and the policy does not repeat such a request. Nothing of it was stored. */
  | {
      readonly kind: "limited";
      readonly status: number;
      readonly message: string;
      readonly responseLost: boolean;
    }
  | {
      readonly kind: "suspended";
      /** Absent when no request was made, for example because of an unreadable token. */
      readonly status: number | undefined;
      readonly message: string;
      readonly detail?: string | undefined;
      readonly responseLost: boolean;
    }
  /** The endpoint must not be sent to (condition InvalidTarget); nothing was sent. */
  | {
      readonly kind: "forbidden";
      readonly message: string;
      readonly detail?: string | undefined;
      readonly responseLost: boolean;
    }
  | { readonly kind: "aborted"; readonly responseLost: boolean };

/** The samples are still undelivered, unless a lost response hides their delivery. */
export type Unfinished = Exclude<Outcome, { readonly kind: "delivered" | "rejected" }>;

/** A receiver's response that refuses a request, or the failure of a request that always fails. */
export interface Refusal {
  readonly status?: number | undefined;
  readonly message: string;
  /** An earlier attempt may have been stored. */
  readonly responseLost: boolean;
  /** Samples that it has written nevertheless (protocol 2.0): a part with them must not be repeated. */
  readonly written?: number | undefined;
}

/** A failure of a request as a refusal. */
export function refusalOf(
  outcome: Outcome & { readonly kind: "rejected" | "exhausted" | "limited" },
): Refusal {
  const { status, message, responseLost } = outcome;
  return {
    status,
    message,
    responseLost,
    written: outcome.kind === "rejected" ? outcome.written : undefined,
  };
}

export interface Sender {
  /**
   * Retries until the request has an outcome. Never rejects because of the network or a receiver.
   *
   * @param maxAttempts in place of the policy's
   */
  send(request: EncodedRequest, signal: AbortSignal, maxAttempts?: number): Promise<Outcome>;
  /** Waits for open requests, which end with their signals. Later calls of `send` get `aborted`. */
  close(): Promise<void>;
}

/** Called when an attempt begins. @returns to be called with its verdict */
export type AttemptHook = () => (verdict: Verdict) => void;

/** Makes one attempt at a request. */
export interface AttemptSender {
  attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict>;
}
