import type { BacklogItem } from "./backlog.ts";

/** The reason why a board could not be read. Failures are values, and the refresh is retried. */
export interface BoardFailure {
  readonly kind:
    | "unauthorized"
    | "forbidden"
    | "not-found"
    | "rate-limited"
    | "unavailable"
    | "malformed"
    | "incomplete"
    | "misconfigured";
  /** Addressed to the person who has to act on it; without credentials. */
  readonly message: string;
  /** The board requests no further requests for this long. */
  readonly retryAfterMs?: number;
}

export type BoardResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: BoardFailure };

/** The board's state, from one cheap request. */
export interface BoardHead {
  /** Equal to an earlier version exactly when the board reports no change. */
  readonly version: string;
  /** The board's id in the events of its service; absent for boards without events from outside. */
  readonly node?: string;
  /** The statuses of the board; absent when any text is allowed. */
  readonly statuses?: readonly string[];
}

export interface BoardContent {
  /** All public items, whatever their status; drafts, archived and redacted ones are left out. */
  readonly items: readonly BacklogItem[];
  readonly leftOut: number;
  /** For the log, such as items that the service refused to show. */
  readonly warnings?: readonly string[];
}

/** The source of the backlog. `test/support/contracts/board.ts` holds all implementations to one contract. */
export interface Board {
  /** Identifies the board among all boards that may ever have filled a cache. */
  readonly id: string;
  head(signal: AbortSignal): Promise<BoardResult<BoardHead>>;
  /** All items or a failure, never a part. @throws only the signal's reason */
  items(signal: AbortSignal): Promise<BoardResult<BoardContent>>;
  /**
   * Calls back whenever the board may have changed, until the signal aborts; absent for boards without
   * events.
   */
  watch?(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export function failed(
  kind: BoardFailure["kind"],
  message: string,
): { readonly ok: false; readonly failure: BoardFailure } {
  return { ok: false, failure: { kind, message } };
}
