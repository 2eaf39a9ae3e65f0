import { type CurrentState, currentState } from "../../../src/exporter/delivery/delivering-condition.ts";
import type { ExporterSnapshot } from "../../../src/exporter/delivery/exporter-snapshot.ts";

/** A sink's state with its message, as its condition shows it. */
export interface DeliveringState extends Pick<CurrentState, "status" | "reason"> {
  readonly message: string;
}

export function deliveringState(snapshot: ExporterSnapshot, nowMs: number): DeliveringState {
  const { status, reason, message } = currentState(snapshot, nowMs);
  return { status, reason, message: message() };
}
