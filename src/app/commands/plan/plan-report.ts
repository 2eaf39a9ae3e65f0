import type { Example } from "../relabelled.ts";
import type { SourceSummary } from "./source-statistics.ts";

/** A command's report; its JSON is the output of `--output json`. */
export interface PlanReport {
  readonly policies: readonly PolicyReport[];
}

export interface PolicyReport {
  readonly policy: string;
  readonly sources: readonly SourceReport[];
  readonly sinks: readonly SinkReport[];
  readonly warnings: readonly string[];
}

export interface SourceReport extends SourceSummary {
  readonly name: string;
  /** As it is asked, with the tenant's filter. */
  readonly query: string;
  readonly samplesPerMinute: number;
}

export interface SinkReport {
  readonly name: string;
  readonly endpoint: string;
  /** What confines its sources, in words. */
  readonly tenant: string;
  /** Why it cannot run, or could not be tried; the rest is absent then. */
  readonly problem?: string;
  readonly protocol?: string;
  /** RFC 3339. */
  readonly from?: string;
  readonly to?: string;
  readonly requestsPerHour?: number;
  /** Of bodies, compressed. */
  readonly bytesPerHour?: number;
  readonly bytesPerMonth?: number;
  readonly samplesPerMinute?: number;
  readonly samplesPerMonth?: number;
  /** Series as the store has them, and as they are sent: see `Example`. */
  readonly examples?: readonly Example[];
  readonly probe?: { readonly accepted: boolean; readonly message: string };
}
