import type { SinkPlan } from "../../policy/spec/types.ts";
import type { ExporterSnapshot } from "../exporter-snapshot.ts";

/**
 * The port through which the reconciler starts and stops sinks; implemented by this process and a shared
 * queue.
 */
export interface Schedule {
  start(plan: SinkPlan): void;
  /** Applies a changed plan to a started sink. */
  change(plan: SinkPlan): void;
  /** Applies a plan that differs only in its generation; interrupts nothing. */
  renew(plan: SinkPlan): void;
  /** Resolves when nothing of the sink is in flight. */
  remove(key: string): Promise<void>;
  snapshots(): ExporterSnapshot[];
  /** The snapshot of one sink, by its key. */
  snapshotOf(key: string): ExporterSnapshot | undefined;
}
