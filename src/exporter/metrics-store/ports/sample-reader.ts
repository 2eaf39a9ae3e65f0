import type { Exemplar } from "../../series/exemplar.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import type { ReadFailure } from "../client/read-failure.ts";
import type { Tenant } from "./scoped-reader.ts";
import type { Window } from "./window.ts";

/**
 * Reads raw samples from the metrics store: the port of this room. `StoreReader` implements it; tests of
 * other rooms pass their own.
 */
export interface SampleReader {
  /**
   * Reads every sample of a selector, or every point of an expression, in a window and passes it to the
   * consumer as it arrives. Reading never waits for a consumer. Expected failures are outcomes; samples
   * passed on before a failure are valid, but incomplete.
   *
   * @throws the signal's reason, and the consumer's errors
   */
  read(request: ReadRequest, consumer: ReadConsumer, signal: AbortSignal): Promise<ReadOutcome>;
  /** A lower bound of the store's clock (Unix epoch, ms); undefined before its first response. */
  storeNowMs(): number | undefined;
}

export interface ReadRequest {
  /** MetricsQL: a series selector is read raw, any other expression is evaluated (see source-kind.ts). */
  readonly selector: string;
  /** The source's name, given to series without a name. Ignored for a selector. */
  readonly name: string;
  /**
   * An expression is evaluated at the multiples of this in the window, in ms. Ignored for a selector that is
   * not thinned.
   */
  readonly stepMs: number;
  /**
   * Thins a selector's samples, as `last_over_time` does: at each multiple of `stepMs` in the window, the
   * last sample of the step that ends there. Ignored for an expression.
   */
  readonly isThinned?: boolean;
  /** Forced on every selector of the query, and checked on each series received. */
  readonly tenant?: Tenant | undefined;
  /** Exact to the millisecond: after `fromMs`, up to and including `toMs`. */
  readonly window: Window;
  /**
   * Set to get exemplars too: after this time (Unix epoch, ms), up to the window's end. Only a selector that
   * is not thinned has them, and only a Prometheus serves them; the outcome does not depend on them.
   */
  readonly exemplarsFromMs?: number | undefined;
  /** The reader's owner, for fairness: no owner can hold all open reads. */
  readonly owner?: string;
}

export interface ReadConsumer {
  /** Called once, when the read opens or starts to wait, before any series. */
  onAttached?(handle: ReadHandle): void;
  /**
   * Receives exemplars of one series, in time order, before any samples. The series need not have samples in
   * the window.
   */
  onExemplars?(series: Series, exemplars: readonly Exemplar[]): void;
  /**
   * Receives one series of the window and its samples in time order. The samples are valid until this returns
   * and must not be changed; the series may be kept. A series may be passed more than once in a read.
   */
  onSeries(series: Series, samples: SampleBuffer): void;
}

export interface ReadHandle {
  /**
   * Wants no more: the read resolves as detached. The last consumer to leave cuts the store's response off.
   */
  detach(): void;
}

export type ReadOutcome =
  | {
      readonly kind: "complete";
      readonly series: number;
      readonly samples: number;
      /** Bytes of the body, decompressed. */
      readonly bytes: number;
      /** From the request to the end of the body, without the wait for its place. */
      readonly durationMs: number;
      /** Lines left out because they exceed the limits: the read lacks their samples. */
      readonly invalidLines: number;
    }
  | ReadFailure
  | { readonly kind: "detached" };

export type { ReadFailure, ReadFailureReason } from "../client/read-failure.ts";
export type { Tenant } from "./scoped-reader.ts";
