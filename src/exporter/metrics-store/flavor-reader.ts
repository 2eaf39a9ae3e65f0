import type { Expr, Selector } from "../metricsql/ast/ast.ts";
import type { SampleBuffer, Series } from "../series/series.ts";
import type { ReadFailure } from "./client/read-failure.ts";
import type { Window } from "./window.ts";

/** A read of raw samples whose query is understood and already confined to its tenant. */
export interface ScopedRead {
  readonly kind: "raw";
  readonly selector: Selector;
  readonly tenant?: Tenant | undefined;
  readonly window: Window;
}

/** The same for an expression, which is evaluated at the multiples of `stepMs` in the window. */
export interface ScopedEvaluation {
  readonly kind: "expression";
  readonly expr: Expr;
  /** The source's name, for series that have none. */
  readonly name: string;
  readonly stepMs: number;
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
 * How raw samples (or, with `ScopedEvaluation`, the points of expressions) are read from one kind of store: everything
 * else (slots, sharing, the tenant check, metrics) is the same for all and lies in the SampleReader.
 */
export interface FlavorReader<Read extends ScopedRead | ScopedEvaluation = ScopedRead> {
  /**
   * Passes every series of the query with its samples after `fromMs` and up to `toMs` to `receiver`, synchronously,
   * as they come. "stopped" when the receiver wanted no more.
   *
   * @throws the signal's reason, and what the receiver throws
   */
  read(
    read: Read,
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
