import type { InstanceState } from "../runtime/runtime.ts";

/** A container as the engine shows it. */
export interface ObservedContainer {
  readonly name: string;
  /** The engine's word, such as `running`, `exited` or `created`. */
  readonly status: string;
  readonly exitCode: number;
  readonly outOfMemory: boolean;
  /** When it was started last, ms since the Unix epoch; undefined: never. */
  readonly startedMs: number | undefined;
  /** Since it was created or started by the provider, by the engine itself. */
  readonly restarts: number;
}

/** A container that was restarted is not called running until it has run for this long. */
export const settledMs = 10_000;

/** The engine's words for a container that was not started yet. */
const notStarted = new Set(["created", "configured", "initialized"]);

/** The state of an instance by its containers: that of the one which is the furthest from running. */
export function observe(
  containers: readonly ObservedContainer[],
  expected: number,
  nowMs: number,
): Omit<InstanceState, "externalAddresses"> {
  if (containers.some(({ status }) => status === "stopping" || status === "removing")) {
    return { status: "Stopping", againMs: 1000 };
  }
  const ended = containers.find(({ status }) => isEnded(status));
  if (ended !== undefined) return { status: "Repairing", detail: describeEnd(ended) };
  if (containers.length < expected || containers.some(({ status }) => notStarted.has(status))) {
    return { status: "Staging" };
  }
  if (containers.some(({ status }) => status === "paused")) {
    return { status: "Suspended", detail: "paused in the engine" };
  }
  const restarted = containers.find((container) => restMs(container, nowMs) > 0);
  if (restarted !== undefined) {
    return {
      status: "Repairing",
      detail: `container ${restarted.name} was restarted ${times(restarted.restarts)}`,
      againMs: restMs(restarted, nowMs),
    };
  }
  return { status: "Running" };
}

/** How long it takes until a container that was restarted counts as running, in ms. */
export function restMs({ restarts, startedMs }: ObservedContainer, nowMs: number): number {
  if (restarts === 0 || startedMs === undefined) return 0;
  // A start in the future is a clock that was set.
  return Math.min(settledMs, Math.max(0, startedMs + settledMs - nowMs));
}

/** Whether a container was started and runs no more. */
export function isEnded(status: string): boolean {
  return ["exited", "stopped", "dead", "restarting"].includes(status);
}

function describeEnd({ name, exitCode, outOfMemory, restarts }: ObservedContainer): string {
  const why = outOfMemory ? "was killed: out of memory" : `exited with status ${exitCode}`;
  return `container ${name} ${why}${restarts === 0 ? "" : ` and was restarted ${times(restarts)}`}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** The engine's time in ms since the Unix epoch; undefined for its year 1, which means never. */
export function engineTime(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
