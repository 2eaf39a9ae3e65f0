import { createHash } from "node:crypto";
import type { Clock } from "../../base/core/clock.ts";
import { childObject, type KubeObject } from "../api/object.ts";
import { StatusError } from "../api/status.ts";
import { eventKind } from "../kinds/event.ts";
import { deleteObject } from "../resources/deletion.ts";
import type { Resources } from "../resources/resources.ts";
import { serverObjects, type Target } from "../resources/target.ts";
import { again, type Controller, done } from "./controller.ts";

/** A report about an object (core/v1 Event). */
export interface EventReport {
  readonly type: "Normal" | "Warning";
  /** One word, such as `InstanceCreated`. */
  readonly reason: string;
  readonly message: string;
}

/** Records events. An equal report about the same object adds to the count of the first. */
export interface EventRecorder {
  record(target: Target, about: KubeObject, report: EventReport): Promise<void>;
}

export interface EventOptions {
  readonly resources: Resources;
  readonly clock: Clock;
}

/** As long as a Kubernetes API server keeps them. */
const keepMs = 3_600_000;
const maxMessageLength = 1024;

/** @param component what reports, such as `namespace-controller` */
export function createEventRecorder({ resources, clock }: EventOptions, component: string): EventRecorder {
  const writeOptions = serverObjects(component);

  return {
    async record({ plane, kind, namespace }, about, { type, reason, message: whole }) {
      const { name: subject = "", uid = "", resourceVersion = "" } = about.metadata;
      const message = whole.slice(0, maxMessageLength);
      const identity = createHash("sha256")
        .update(JSON.stringify([uid, type, reason, message]))
        .digest("hex");
      const name = `${subject.slice(0, 230)}.${identity.slice(0, 16)}`;
      // Objects of cluster scope have their events in the first namespace, as in Kubernetes.
      const target = { plane, kind: eventKind, namespace: namespace === "" ? "default" : namespace, name };
      const now = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
      const body: KubeObject = {
        apiVersion: "v1",
        kind: eventKind.kind,
        metadata: { name },
        involvedObject: {
          apiVersion: about.apiVersion,
          kind: kind.kind,
          name: subject,
          uid,
          resourceVersion,
          ...(namespace === "" ? {} : { namespace }),
        },
        type,
        reason,
        message,
        count: 1,
        firstTimestamp: now,
        lastTimestamp: now,
        source: { component },
        reportingComponent: component,
      };
      try {
        await resources.create(target, body, undefined, writeOptions);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        // An event is worth no failure: its namespace or its plane may be going, or the quota is used up.
        if (error.status.reason !== "AlreadyExists") return;
        await countAgain(target, now);
      }
    },
  };

  async function countAgain(target: Target, now: string): Promise<void> {
    try {
      const counted = (old: KubeObject) => {
        const count = (Number(old["count"]) || 1) + 1;
        return { object: { ...old, count, lastTimestamp: now } };
      };
      await resources.change(target, counted, writeOptions);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
    }
  }
}

/** Deletes events an hour after their last occurrence. */
export function createEventController({ resources, clock }: EventOptions): Controller {
  return {
    kind: eventKind,
    async reconcile(target, event) {
      const dueMs = lastOccurrenceMs(event, clock.nowMs()) + keepMs;
      if (dueMs > clock.nowMs()) return again(dueMs - clock.nowMs());
      const { uid, resourceVersion } = event.metadata;
      const how = { dryRun: false, propagation: undefined, uid, resourceVersion } as const;
      await deleteObject(resources, target, how, clock.nowMs());
      return done;
    },
  };
}

/** Times that lie in the future count as now. */
function lastOccurrenceMs(event: KubeObject, nowMs: number): number {
  const times = [
    childObject(event, "series")?.["lastObservedTime"],
    ...[event["lastTimestamp"], event["eventTime"], event.metadata.creationTimestamp],
  ];
  const known = times.map((time) => Date.parse(String(time ?? ""))).filter((ms) => !Number.isNaN(ms));
  return Math.min(nowMs, Math.max(0, ...known));
}
