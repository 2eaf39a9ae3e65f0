import type { BacklogItem } from "./backlog.ts";

/** Why a board could not be read. All are expected: they are values, and the refresh is tried again. */
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
  /** For the person who has to act on it; without credentials. */
  readonly message: string;
  /** The board wants to be left alone for this long. */
  readonly retryAfterMs?: number;
}

export type BoardResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: BoardFailure };

/** The board's state, from one cheap question. */
export interface BoardHead {
  /** Equal to an earlier one exactly when the board says that nothing has changed. */
  readonly version: string;
  /** The statuses that the board knows; absent where any text is one. */
  readonly statuses?: readonly string[];
}

export interface BoardContent {
  /** Every item of every status that can be shown in public; others (drafts, archived, redacted) are left out. */
  readonly items: readonly BacklogItem[];
  readonly leftOut: number;
}

/** Where the backlog comes from. One contract suite (`board.contract.ts`) holds all implementations to it. */
export interface Board {
  /** Identifies the board among all that a cache may ever have been filled from. */
  readonly id: string;
  head(signal: AbortSignal): Promise<BoardResult<BoardHead>>;
  /** All items or a failure, never a part. @throws only the signal's reason */
  items(signal: AbortSignal): Promise<BoardResult<BoardContent>>;
  /** Calls back whenever the board may have changed, until the signal aborts; absent where a board cannot tell. */
  watch?(onChange: () => void, signal: AbortSignal): Promise<void>;
}

export function failed(
  kind: BoardFailure["kind"],
  message: string,
  retryAfterMs?: number,
): { readonly ok: false; readonly failure: BoardFailure } {
  return { ok: false, failure: { kind, message, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } };
}
