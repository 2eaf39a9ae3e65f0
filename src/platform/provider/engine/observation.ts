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
  /** Since it was created, by anybody; undefined: as many. */
  readonly restartsInAll?: number | undefined;
  /** Why a container with a readiness or startup probe is not ready; undefined: it is, or has no such probe. */
  readonly unready?: { readonly why: string; readonly wasReady: boolean } | undefined;
  /** Whether its readiness or startup probe says when it is available. */
  readonly hasReadiness?: boolean;
  /** Why its probes have restarted it last. */
  readonly restartedFor?: string | undefined;
}

/** A container that was restarted is not called running until it has run for this long. */
export const settledMs = 10_000;
/** As long as a first start without a readiness probe takes to count: Kubernetes' minReadySeconds. */
export const usualMinReadyMs = 10_000;

/** The engine's words for a container that was not started yet. */
const notStarted = new Set(["created", "configured", "initialized"]);

/** The state of an instance by its containers: that of the one which is the furthest from running. */
export function observe(
  containers: readonly ObservedContainer[],
  expected: number,
  nowMs: number,
  minReadyMs = usualMinReadyMs,
): Omit<InstanceState, "externalAddresses"> {
  if (containers.some(({ status }) => status === "stopping" || status === "removing")) {
    return { status: "Stopping", againMs: 1000 };
  }
  const ended = containers.find(({ status }) => isEnded(status));
  if (ended !== undefined)
    return { status: "Repairing", detail: describeEnd(ended), failure: failureOf(ended) };
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
      detail: `container ${restarted.name} was restarted ${reasonFor(restarted)}`,
      againMs: restMs(restarted, nowMs),
    };
  }
  const unready = containers.find((container) => container.unready !== undefined);
  if (unready?.unready !== undefined) {
    const { why, wasReady } = unready.unready;
    const detail = `container ${unready.name} is not ready: ${why}`;
    return { status: wasReady ? "Repairing" : "Staging", detail };
  }
  const youngMs = (container: ObservedContainer): number =>
    container.hasReadiness === true ? 0 : restsFor(container, nowMs, minReadyMs);
  const young = containers.toSorted((a, b) => youngMs(b) - youngMs(a))[0];
  if (young !== undefined && youngMs(young) > 0) {
    const detail = `container ${young.name} counts as available when it has run for ${minReadyMs / 1_000} s`;
    return { status: "Staging", detail, againMs: youngMs(young) };
  }
  return { status: "Running" };
}

/** How long it takes until a container that was restarted counts as running, in ms. */
export function restMs(container: ObservedContainer, nowMs: number): number {
  if (container.restarts === 0 && container.restartedFor === undefined) return 0;
  return restsFor(container, nowMs, settledMs);
}

function restsFor({ startedMs }: ObservedContainer, nowMs: number, limitMs: number): number {
  if (startedMs === undefined) return 0;
  // A start in the future is a clock that was set.
  return Math.min(limitMs, Math.max(0, startedMs + limitMs - nowMs));
}

function reasonFor({ restarts, restartedFor }: ObservedContainer): string {
  return restartedFor === undefined ? times(restarts) : `since ${restartedFor}`;
}

/** Whether a container was started and runs no more. */
export function isEnded(status: string): boolean {
  return ["exited", "stopped", "dead", "restarting"].includes(status);
}

/** Without counts, so that one which ends again and again is one event. */
function failureOf(container: ObservedContainer): InstanceState["failure"] {
  const { name, exitCode, outOfMemory, restarts, restartsInAll = restarts } = container;
  const why = outOfMemory ? "was killed: out of memory" : `exited with status ${exitCode}`;
  const again = "it is started again, with growing pauses";
  const reason = outOfMemory ? "OOMKilled" : restartsInAll === 0 ? "ContainerEnded" : "BackOff";
  return { reason, message: `container ${name} ${why}; ${again}` };
}

function describeEnd(container: ObservedContainer): string {
  const { name, exitCode, outOfMemory, restarts, restartsInAll = restarts } = container;
  const why = outOfMemory ? "was killed: out of memory" : `exited with status ${exitCode}`;
  return `container ${name} ${why}${restartsInAll === 0 ? "" : ` and was restarted ${times(restartsInAll)}`}`;
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}

/** The engine's time in ms since the Unix epoch; undefined for its year 1, which means never. */
export function engineTime(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
