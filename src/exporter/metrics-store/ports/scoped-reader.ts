import type { Expr, Selector } from "../../metricsql/ast/ast.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import type { ReadFailure } from "../client/read-failure.ts";
import type { Window } from "./window.ts";

/** A read of raw samples; its query is parsed and already confined to its tenant. */
export interface ScopedRead {
  readonly kind: "raw";
  readonly selector: Selector;
  readonly tenant?: Tenant | undefined;
  readonly window: Window;
  /** See `ReadRequest`. */
  readonly exemplarsFromMs?: number | undefined;
  /**
   * Passes on the samples of a series one after another, with none of another series between them: fails with
   * `answer_too_large` where that takes more than one request.
   */
  readonly isWhole?: boolean;
}

/** The same, with the samples thinned to one for each step: see `Thinner`. */
export interface ThinnedRead {
  readonly kind: "thinned";
  readonly selector: Selector;
  readonly stepMs: number;
  readonly tenant?: Tenant | undefined;
  readonly window: Window;
}

/** The same for an expression, evaluated at the multiples of `stepMs` in the window. */
export interface ScopedEvaluation {
  readonly kind: "expression";
  readonly expr: Expr;
  /** The source's name, given to series without a name. */
  readonly name: string;
  readonly stepMs: number;
  readonly tenant?: Tenant | undefined;
  readonly window: Window;
}

/** The label and value that every series of a read must have. */
export interface Tenant {
  readonly label: string;
  readonly value: string;
}

/** Result of a complete read. Counts only what was passed on. */
export interface ReadTotals {
  readonly kind: "complete";
  readonly series: number;
  readonly samples: number;
}

/** How a read has ended. */
export type ReadEnd = ReadTotals | ReadFailure | { readonly kind: "stopped" };

/**
 * Reads raw samples (with `ThinnedRead`, thinned ones; with `ScopedEvaluation`, the points of expressions)
 * from one kind of store. The SampleReader handles the rest for all kinds: places, sharing, the tenant
 * check, metrics.
 */
export interface ScopedReader<Read extends ScopedRead | ThinnedRead | ScopedEvaluation = ScopedRead> {
  /**
   * Passes every series of the query with its samples after `fromMs` and up to `toMs` to `receiver`, as they
   * arrive. Resolves to "stopped" when the receiver wants no more.
   *
   * @throws the signal's reason, and the receiver's errors
   */
  read(read: Read, receiver: SampleReceiver, signal: AbortSignal): Promise<ReadEnd>;
}

export interface SampleReceiver {
  /**
   * Synchronous, unless the read has used its time of this turn of the event loop: then it returns a promise,
   * and until that resolves the samples stay as they are and no other series is passed.
   */
  onSeries(series: Series, samples: SampleBuffer): Promise<void> | undefined;
  /** Reports decoded bytes of the body, as they arrive. */
  onBytes(bytes: number): void;
  /** Reports lines that were left out of a read that continues. `reason` is stable. */
  onInvalid(reason: string, lines: number, message: string): void;
  /** Called between pieces of the body. */
  wantsMore(): boolean;
}
