import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/core/log.ts";
import { logErrors, runLoop } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import { isObject, valueAt } from "../../base/documents/document-path.ts";
import { type PolicyRef, sinkKey } from "../../exporter/policy/spec/types.ts";
import type { PolicyStatus } from "../../exporter/policy/status/conditions.ts";
import type { ControlPlaneWatcher } from "./control-plane-watcher.ts";
import type { PlaneClient } from "./plane-client.ts";
import { contradicts, isWriteDue, knownStatus, mergedStatus, type WrittenStatus } from "./status-decision.ts";

/** The desired status of a policy. */
export interface WantedStatus {
  readonly ref: PolicyRef;
  readonly status: PolicyStatus;
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
  readonly clock: Clock;
  readonly log: Logger;
}

const turnMs = 1_000;
/** Longest time to check policies without yielding. */
const burstMs = 2;
const maxConflicts = 4;
/** Pause before retrying a policy whose status could not be written. */
const retryMs = 15_000;

/** Writes the policies' conditions back into their control planes, as `/status` merge patches. */
export function createStatusWriter(options: StatusWriterOptions): Service & {
  tick(signal: AbortSignal): Promise<number>;
} {
  const { clock, log, groupDomain } = options;
  const written = new Map<string, WrittenStatus>();
  const retryAtMs = new Map<string, number>();

  const write = async (client: PlaneClient, wanted: WantedStatus, signal: AbortSignal): Promise<boolean> => {
    const { namespace, name, uid } = wanted.ref;
    const path = `/apis/telemetry.${groupDomain}/v1alpha1/namespaces/${namespace}/exportpolicies/${name}`;
    for (let attempt = 1; attempt <= maxConflicts; attempt++) {
      const present = await client.send("GET", path, {}, signal);
      if (present.outcome !== "ok") return report(wanted, present.message);
      // Deleted and recreated: the status belongs to another policy.
      if (valueAt(present.json, ["metadata", "uid"]) !== uid) return true;
      const resourceVersion = valueAt(present.json, ["metadata", "resourceVersion"]);
      const status = present.json["status"];
      const body = {
        // A concurrent write causes a conflict, and the retry takes it into account.
        metadata: { resourceVersion },
        status: mergedStatus(isObject(status) ? status : undefined, wanted.status),
      };
      const patch = { body, contentType: "application/merge-patch+json" };
      const response = await client.send("PATCH", `${path}/status`, patch, signal);
      if (response.outcome === "ok") return true;
      if (response.outcome !== "rejected" || response.code !== 409) return report(wanted, response.message);
    }
    return report(wanted, "others write the status all the time");
  };

  const report = ({ ref }: WantedStatus, error: string): boolean => {
    const { plane, namespace, name } = ref;
    log.warn({ plane, namespace, policy: name, error }, "the status of a policy cannot be written");
    return false;
  };

  /** Checks every policy once. @returns ms until the next check */
  const tick = async (signal: AbortSignal): Promise<number> => {
    const keys = new Set<string>();
    let busySinceMs = clock.monotonicMs();
    for (const wanted of options.wanted()) {
      // There may be thousands of policies: do not block health probes for the whole scan.
      if (clock.monotonicMs() - busySinceMs >= burstMs) {
        await setImmediate();
        busySinceMs = clock.monotonicMs();
      }
      const plane = options.planeOf(wanted.ref.plane);
      if (plane === undefined) continue;
      const key = sinkKey(wanted.ref, "");
      keys.add(key);
      const nowMs = clock.monotonicMs();
      const seen = plane.source.statusOf(wanted.ref);
      const before = written.get(key);
      const isInVain = contradicts(seen, wanted.status);
      if (before !== undefined && before.inVain > 0 && !isInVain) written.set(key, { ...before, inVain: 0 });
      if ((retryAtMs.get(key) ?? 0) > nowMs || !isWriteDue(before, wanted.status, seen, nowMs)) continue;
      if (await write(plane.client, wanted, signal)) {
        written.set(key, {
          status: knownStatus(before?.status, wanted.status),
          writtenMs: clock.monotonicMs(),
          inVain: isInVain ? (before?.inVain ?? 0) + 1 : 0,
        });
        retryAtMs.delete(key);
      } else retryAtMs.set(key, clock.monotonicMs() + retryMs);
    }
    for (const key of written.keys()) if (!keys.has(key)) written.delete(key);
    return turnMs;
  };

  return {
    name: "policy status",
    snapshot: () => ({ written: written.size, failing: retryAtMs.size }),
    tick,
    run(signal) {
      const onError = logErrors("policy status", log);
      return runLoop(tick, { clock, pauseAfterErrorMs: retryMs, onError }, signal);
    },
  };
}
