import type { Window } from "../../metrics-store/ports/window.ts";
import type { StepCount } from "./sample-counts.ts";
import type { OpenWindow } from "./sink-state.ts";

/**
 * A window to run, with the sources that share it. `open` is set when it was opened before, with fixed
 * bounds.
 */
export interface PlannedWindow extends Window {
  readonly sources: readonly string[];
  readonly open: OpenWindow | undefined;
  /** Set for a window of the newest samples, which are delivered before older ones; see `ahead-spans.ts`. */
  readonly isAhead?: true | undefined;
  /** Set for another reading of a closed span, for samples that came late. */
  readonly late?: LateReading | undefined;
}

/** Why a span is read again; see `late-samples.ts`. */
interface LateReading {
  /** What the store had in its steps when they were counted. */
  readonly counts: readonly StepCount[];
  /** MetricsQL: to be read in place of the source's own query. */
  readonly selector: string;
}

/** Whether the window has requests in doubt. */
export function hasRequestsInDoubt(window: OpenWindow | undefined): boolean {
  for (const { state } of window?.requests.values() ?? []) if (state === "sent") return true;
  return false;
}
