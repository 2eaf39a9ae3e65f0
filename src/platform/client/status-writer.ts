import type { Clock } from "../../base/core/clock.ts";
import { logErrors, runLoop } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { isObject, valueAt } from "../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../base/log/log.ts";
import { type PolicyRef, sinkKey } from "../../exporter/policy/spec/types.ts";
import type { PolicyStatus } from "../../exporter/policy/status/conditions.ts";
import type { PlaneClient } from "./api/plane-client.ts";
import type { ControlPlaneWatcher } from "./control-plane-watcher.ts";
import { DeliveryEvents, type SinkLosses, type SinkReport } from "./status/delivery-events.ts";
import {
  beforeDoubt,
  changedByOthers,
  contradicts,
  type DoubtfulWrite,
  hasTransition,
  knownStatus,
  mergedStatus,
  minIntervalMs,
  type SeenStatus,
  seenStatus,
  type WrittenStatus,
  writeDueMs,
} from "./status/status-decision.ts";

/** The desired status of a policy. */
export interface WantedStatus {
  readonly ref: PolicyRef;
  readonly status: PolicyStatus;
  /** Of the sinks that this daemon runs and that have lost samples. */
  readonly losses?: readonly SinkLosses[];
}

export interface WrittenPlane {
  readonly client: PlaneClient;
  readonly source: Pick<ControlPlaneWatcher, "statusOf">;
}

export interface StatusWriterOptions {
  readonly groupDomain: string;
  /** A plane's client; undefined for the policy directory. */
  planeOf(plane: string): WrittenPlane | undefined;
  /** Called on every tick, and read lazily. */
  wanted(): Iterable<WantedStatus>;
  /** Called with what happened to a policy's sinks. */
  onEvents(ref: PolicyRef, reports: readonly SinkReport[]): void;
  readonly clock: Clock;
  readonly log: Logger;
}

const turnMs = 1_000;
/** Policies that become due together are checked together. */
const shortestTurnMs = 20;
/** Longest time to check policies without yielding. */
const burstMs = 2;
const maxConflicts = 4;
/** Writes at once: a receiver that many policies send to changes all of their statuses. */
const maxWrites = 16;
/** Pause before retrying a policy whose status could not be written. */
const retryMs = 15_000;

/** What is remembered about a policy. */
interface Followed {
  written: WrittenStatus | undefined;
  seen: SeenStatus | undefined;
  /** When another writer was last seen to have changed a condition, by `sink type`; monotonic ms. */
  othersMs: Map<string, number> | undefined;
  retryAtMs: number;
  /** The last write, if its response was lost: its transitions are still to be reported. */
  doubt: DoubtfulWrite | undefined;
  /** Created for the first event: most policies have none. */
  events: DeliveryEvents | undefined;
}

type WriteOutcome =
  | { readonly kind: "written"; readonly replaced: SeenStatus }
  /** `inDoubt`: the status that may have been replaced all the same. */
  | { readonly kind: "failed"; readonly inDoubt?: SeenStatus }
  /** The policy is another one of the same name. */
  | { readonly kind: "recreated" };

/** Writes the policies' conditions back into their control planes, as `/status` merge patches. */
export function createStatusWriter(options: StatusWriterOptions): Service & {
  tick(signal: AbortSignal): Promise<number>;
} {
  const { clock, log, groupDomain } = options;
  const policies = new Map<string, Followed>();

  const write = async (
    client: PlaneClient,
    wanted: WantedStatus,
    signal: AbortSignal,
  ): Promise<WriteOutcome> => {
    const { namespace, name, uid } = wanted.ref;
    const path = `/apis/telemetry.${groupDomain}/v1alpha1/namespaces/${namespace}/exportpolicies/${name}`;
    for (let attempt = 1; attempt <= maxConflicts; attempt++) {
      const present = await client.send("GET", path, {}, signal);
      if (present.outcome !== "ok") return report(wanted, present.message);
      if (valueAt(present.json, ["metadata", "uid"]) !== uid) return { kind: "recreated" };
      const resourceVersion = valueAt(present.json, ["metadata", "resourceVersion"]);
      const status = present.json["status"];
      const body = {
        // A concurrent write causes a conflict, and the retry takes it into account.
        metadata: { resourceVersion },
        status: mergedStatus(isObject(status) ? status : undefined, wanted.status),
      };
      const patch = { body, contentType: "application/merge-patch+json" };
      const response = await client.send("PATCH", `${path}/status`, patch, signal);
      const replaced = seenStatus(status);
      if (response.outcome === "ok") return { kind: "written", replaced };
      // A proxy's 502 or 504 says as little about the write as no response.
      const isInDoubt = response.outcome === "failed" || response.code >= 500;
      if (isInDoubt) return { ...report(wanted, response.message), inDoubt: replaced };
      if (response.code !== 409) return report(wanted, response.message);
    }
    return report(wanted, "others write the status all the time");
  };

  const report = ({ ref }: WantedStatus, error: string): WriteOutcome & { kind: "failed" } => {
    const { plane, namespace, name } = ref;
    log.warn({ plane, namespace, policy: name, error }, "the status of a policy cannot be written");
    return { kind: "failed" };
  };

  /** Notes what the control plane has, and what other writers have changed. */
  const notice = (policy: Followed, { status }: WantedStatus, seen: SeenStatus | undefined): void => {
    const { written, seen: before } = policy;
    if (written === undefined) return;
    if (written.rewrites > 0 && !contradicts(seen, status)) policy.written = { ...written, rewrites: 0 };
    if (seen === before) return;
    policy.seen = seen;
    if (before === undefined || seen === undefined) return;
    const nowMs = clock.monotonicMs();
    for (const key of changedByOthers(before, seen, written, nowMs)) {
      policy.othersMs ??= new Map();
      policy.othersMs.set(key, nowMs);
    }
  };

  /** When another writer was last seen to have changed a condition that this one writes. */
  const othersMs = ({ othersMs: byCondition }: Followed, { sinks }: PolicyStatus): number => {
    if (byCondition === undefined) return Number.NEGATIVE_INFINITY;
    const own = sinks.flatMap(({ name, conditions }) => conditions.map(({ type }) => `${name} ${type}`));
    return Math.max(...own.map((key) => byCondition.get(key) ?? Number.NEGATIVE_INFINITY));
  };

  const emit = (policy: Followed, ref: PolicyRef, reportsOf: (events: DeliveryEvents) => SinkReport[]) => {
    policy.events ??= new DeliveryEvents();
    const reports = reportsOf(policy.events);
    if (reports.length > 0) options.onEvents(ref, reports);
  };

  /** When a policy's status is due to be written (monotonic ms). */
  const dueOf = (policy: Followed, wanted: WantedStatus, { source }: WrittenPlane): number => {
    const { ref, status, losses = [] } = wanted;
    const nowMs = clock.monotonicMs();
    if (losses.length > 0) emit(policy, ref, (events) => events.lost(losses, nowMs));
    const seen = source.statusOf(ref);
    notice(policy, wanted, seen);
    const { written, retryAtMs } = policy;
    return Math.max(writeDueMs(written, status, seen, nowMs, othersMs(policy, status)), retryAtMs);
  };

  /** Writes a policy's status. @returns when it is due next (monotonic ms) */
  const writeDue = async (
    policy: Followed,
    wanted: WantedStatus,
    { client, source }: WrittenPlane,
    signal: AbortSignal,
  ): Promise<number> => {
    const { ref, status } = wanted;
    const { written } = policy;
    // A transition differs from the control plane, too: only what was written before can have been in vain.
    const isRewrite =
      written !== undefined &&
      !hasTransition(written.status, status) &&
      contradicts(source.statusOf(ref), status);
    const outcome = await write(client, wanted, signal);
    const writtenMs = clock.monotonicMs();
    if (outcome.kind === "failed") {
      const { inDoubt } = outcome;
      if (inDoubt !== undefined)
        policy.doubt = { before: beforeDoubt(inDoubt, policy.doubt), reported: status };
      policy.retryAtMs = writtenMs + retryMs;
      return policy.retryAtMs;
    }
    policy.retryAtMs = Number.NEGATIVE_INFINITY;
    policy.othersMs = undefined;
    const rewrites = isRewrite ? (written?.rewrites ?? 0) + 1 : 0;
    policy.written = { status: knownStatus(written?.status, status), reported: status, writtenMs, rewrites };
    if (outcome.kind === "written") {
      const replaced = beforeDoubt(outcome.replaced, policy.doubt);
      emit(policy, ref, (events) => events.statusWritten(replaced, status));
    }
    policy.doubt = undefined;
    return writtenMs + minIntervalMs;
  };

  /** Checks every policy once. @returns ms until the next check */
  const tick = async (signal: AbortSignal): Promise<number> => {
    const keys = new Set<string>();
    const writes = new Set<Promise<void>>();
    let busySinceMs = clock.monotonicMs();
    let dueMs = busySinceMs + turnMs;
    for (const wanted of options.wanted()) {
      // There may be thousands of policies: do not block health probes for the whole scan.
      if (clock.monotonicMs() - busySinceMs >= burstMs) {
        await yieldToEventLoop();
        busySinceMs = clock.monotonicMs();
      }
      const plane = options.planeOf(wanted.ref.plane);
      if (plane === undefined) continue;
      const key = sinkKey(wanted.ref, "");
      keys.add(key);
      const policy = policies.get(key) ?? newPolicy();
      policies.set(key, policy);
      const atMs = dueOf(policy, wanted, plane);
      if (atMs > clock.monotonicMs()) {
        dueMs = Math.min(dueMs, atMs);
        continue;
      }
      if (writes.size >= maxWrites) await Promise.race(writes);
      const write = writeDue(policy, wanted, plane, signal).then((nextMs) => {
        dueMs = Math.min(dueMs, nextMs);
        writes.delete(write);
      });
      // Awaited below; until then an abort must not count as unhandled.
      write.catch(() => undefined);
      writes.add(write);
    }
    await Promise.all(writes);
    for (const key of policies.keys()) if (!keys.has(key)) policies.delete(key);
    return Math.max(shortestTurnMs, dueMs - clock.monotonicMs());
  };

  return {
    name: "policy status",
    snapshot: () => {
      const all = [...policies.values()];
      const count = (is: (policy: Followed) => boolean) => all.filter(is).length;
      return {
        written: count(({ written }) => written !== undefined),
        failing: count(({ retryAtMs }) => retryAtMs > Number.NEGATIVE_INFINITY),
      };
    },
    tick,
    run(signal) {
      const onError = logErrors("policy status", log);
      return runLoop(tick, { clock, pauseAfterErrorMs: retryMs, onError }, signal);
    },
  };
}

function newPolicy(): Followed {
  const never = Number.NEGATIVE_INFINITY;
  return {
    written: undefined,
    seen: undefined,
    othersMs: undefined,
    doubt: undefined,
    events: undefined,
    retryAtMs: never,
  };
}
