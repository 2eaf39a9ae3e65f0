import type { EncodedRequest } from "../encoding/request.ts";
import type { RetryReason, Verdict } from "./classify.ts";

/**
 * What became of a request, after all its attempts. `responseLost`: one of them may have been stored although its response
 * never came, so that samples the receiver refuses later on may be repeats.
 */
export type Outcome =
  | {
      readonly kind: "delivered";
      readonly status: number;
      /** Samples that the receiver says it has not written: counted as such, never as delivered. Absent: none. */
      readonly unwritten?: number;
    }
  /** No attempt is left, or the receiver asked for a pause longer than anyone waits here. */
  | {
      readonly kind: "exhausted";
      readonly reason: RetryReason;
      readonly message: string;
      /** What the operator is told instead, where it is more. */
      readonly detail?: string | undefined;
      readonly status?: number;
      readonly retryAfterMs?: number;
      readonly responseLost: boolean;
    }
  | {
      readonly kind: "refused";
      readonly status: number;
      readonly message: string;
      readonly responseLost: boolean;
      /** More than 0: samples that the receiver has written all the same, so that no part of the request may be sent again. */
      readonly written?: number;
    }
  | {
      readonly kind: "suspended";
      /** Absent where it did not come to a request, such as for an unreadable token. */
      readonly status: number | undefined;
      readonly message: string;
      readonly detail?: string | undefined;
      readonly responseLost: boolean;
    }
  /** The endpoint must not be sent to (condition InvalidTarget); nothing went out. */
  | {
      readonly kind: "forbidden";
      readonly message: string;
      readonly detail?: string | undefined;
      readonly responseLost: boolean;
    }
  | { readonly kind: "aborted"; readonly responseLost: boolean };

/** The samples are as undelivered as they were, apart from what a lost response hides. */
export type Unfinished = Exclude<Outcome, { readonly kind: "delivered" | "refused" }>;

export interface Sender {
  /** Tries until the request has an outcome. Never rejects for what a network or a receiver does. */
  send(request: EncodedRequest, signal: AbortSignal): Promise<Outcome>;
  /** Waits for what is open, which the signals given to it end. Sending afterwards gets `aborted`. */
  close(): Promise<void>;
}

/** One attempt at a request. */
export interface AttemptSender {
  attempt(request: EncodedRequest, signal: AbortSignal): Promise<Verdict>;
}
