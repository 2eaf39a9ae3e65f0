import type { SinkPlan } from "../../policy/spec/types.ts";
import type { ExporterSnapshot } from "../exporter.ts";

/** The port through which the reconciler says which sinks run. Implementations: this process, a shared queue. */
export interface Schedule {
  start(plan: SinkPlan): void;
  /** A changed plan of a sink that was started. */
  change(plan: SinkPlan): void;
  /** Resolves when nothing of the sink is in flight any more. */
  remove(key: string): Promise<void>;
  snapshots(): ExporterSnapshot[];
  /** One of them, by the sink's key. */
  snapshotOf(key: string): ExporterSnapshot | undefined;
}
