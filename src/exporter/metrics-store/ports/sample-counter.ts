import type { ReadFailure } from "../client/read-failure.ts";
import type { Tenant } from "./scoped-reader.ts";
import type { Window } from "./window.ts";

/**
 * Counts samples in the metrics store without reading them: the port beside `SampleReader`. `StoreReader`
 * implements it.
 */
export interface SampleCounter {
  /**
   * Counts the samples of a selector by steps of time. Equal requests within a short time share one response.
   * Expected failures are outcomes; there is no partial count.
   *
   * @throws the signal's reason
   */
  count(request: CountRequest, signal: AbortSignal): Promise<CountOutcome>;
}

export interface CountRequest {
  /** MetricsQL: a series selector. */
  readonly selector: string;
  /** Forced on the selector. */
  readonly tenant?: Tenant | undefined;
  /** Both ends are multiples of `stepMs`. */
  readonly window: Window;
  readonly stepMs: number;
  /** `staleMarkers` are counted separately from all other samples, and only by some stores. */
  readonly of: "samples" | "staleMarkers";
  /** For fairness; see `ReadRequest`. */
  readonly owner: string;
}

/**
 * The counts of the window's steps, in order: a step holds its end, not its start. `startedMs`: when they
 * were requested, by the monotonic clock; a shared response may be older than the request. `unsupported`:
 * this store has no such count.
 */
export type CountOutcome =
  | { readonly kind: "counts"; readonly counts: readonly number[]; readonly startedMs: number }
  | { readonly kind: "unsupported" }
  | ReadFailure;
