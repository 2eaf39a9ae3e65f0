import type { SampleBuffer, Series } from "../core/series.ts";
import type { Expr } from "../metricsql/ast.ts";
import type { ReadFailure } from "./read-failure.ts";
import type { Window } from "./window.ts";

/** A read whose query is understood and already confined to its tenant. */
export interface ScopedRead {
  /** A series selector. */
  readonly selector: Expr;
  readonly tenant?: Tenant | undefined;
  readonly window: Window;
}

/** The label that every series of a read must bear, with this value. */
export interface Tenant {
  readonly label: string;
  readonly value: string;
}

/** What a read came to; counts are of what was passed on. */
export interface ReadTotals {
  readonly kind: "complete";
  readonly series: number;
  readonly samples: number;
}

/**
 * How raw samples are read from one kind of store: everything else (slots, sharing, the tenant check, metrics) is the
 * same for all and lies in the SampleReader.
 */
export interface FlavorReader {
  /**
   * Passes every series of the selector with its samples after `fromMs` and up to `toMs` to `receiver`, synchronously,
   * as they come. "stopped" when the receiver wanted no more.
   *
   * @throws the signal's reason, and what the receiver throws
   */
  read(
    read: ScopedRead,
    receiver: SampleReceiver,
    signal: AbortSignal,
  ): Promise<ReadTotals | ReadFailure | { readonly kind: "stopped" }>;
}

export interface SampleReceiver {
  onSeries(series: Series, samples: SampleBuffer): void;
  /** Bytes of the body that were decoded, as they come. */
  onBytes(bytes: number): void;
  /** A line that was left out while the rest goes on. `reason` is stable. */
  onRefused(reason: string, lines: number, message: string): void;
  /** Asked between pieces of the body. */
  wantsMore(): boolean;
}
