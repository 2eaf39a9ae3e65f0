import type { SinkPlan } from "../policy/spec/types.ts";
import type { DeliveryState } from "./dispatch/delivery-state.ts";
import type { KnownTimes } from "./state-times.ts";
import type { SinkStats } from "./stats/sink-stats.ts";

/** A source of a sink, as the status shows it. */
interface SourceProgress {
  readonly name: string;
  readonly checkpointMs: number | undefined;
  readonly error: string | undefined;
}

export interface ExporterSnapshot {
  readonly plan: SinkPlan;
  /** The plan of the last attempt, successful or not. */
  readonly triedPlan?: SinkPlan | undefined;
  readonly deliveryState: DeliveryState;
  readonly sources: readonly SourceProgress[];
  /** The age of the newest delivered sample; undefined before the first cycle. */
  readonly lagMs: number | undefined;
  /** The watermark minus the oldest checkpoint; absent: equal to the lag. */
  readonly behindMs?: number | undefined;
  /** The age at which a sample that was not delivered is lost (ms); absent: not known. */
  readonly keptMs?: number | undefined;
  /** When the pause after a failure ends (Unix ms). */
  readonly nextAttemptMs?: number | undefined;
  readonly periodMs: number;
  readonly stats: SinkStats;
  /** When the sink's states began. */
  readonly times?: KnownTimes | undefined;
}
