import type { Label } from "./series.ts";

/**
 * A single observation of a series that refers to data elsewhere, such as a trace (OpenMetrics 1.0,
 * "Exemplars").
 */
export interface Exemplar {
  /** Valid Unicode, sorted by name (UTF-16 code units); no duplicate names, no empty values. */
  readonly labels: readonly Label[];
  readonly value: number;
  /** Of the observation; Unix epoch, ms. */
  readonly timestampMs: number;
}
