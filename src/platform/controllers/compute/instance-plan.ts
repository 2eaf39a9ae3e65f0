import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { isTrue } from "../../../kube-server/controllers/conditions.ts";

/** What to do about the instances of a deployment. */
export interface InstancePlan {
  /** Ordinals to create. */
  readonly missing: readonly number[];
  readonly superfluous: readonly KubeObject[];
  /** Instances of an earlier template to delete now; their ordinals are created again once they are gone. */
  readonly replaced: readonly KubeObject[];
  /** Instances whose specification was edited. */
  readonly current: readonly KubeObject[];
}

/** How many instances there are. */
export interface InstanceCounts {
  readonly replicas: number;
  /** Of the present template. */
  readonly currentReplicas: number;
  readonly readyReplicas: number;
}

/**
 * Decides the next steps: missing ordinals are created, the highest deleted. Instances of an earlier template
 * that are not available are replaced at once: that takes nothing away, and they may all wait for the
 * corrected template. The others are replaced one at a time, from the top, while all are available.
 */
export function planInstances(
  instances: readonly { readonly ordinal: number; readonly object: KubeObject }[],
  wanted: number,
  hash: string,
): InstancePlan {
  const present = new Set(instances.map(({ ordinal }) => ordinal));
  const missing = Array.from({ length: wanted }, (_, ordinal) => ordinal).filter(
    (ordinal) => !present.has(ordinal),
  );
  const sorted = [...instances].sort((left, right) => right.ordinal - left.ordinal);
  const superfluous = sorted.filter(({ ordinal }) => ordinal >= wanted).map(({ object }) => object);
  const kept = sorted.filter(({ ordinal }) => ordinal < wanted).map(({ object }) => object);
  const outdated = kept.filter((object) => hashOf(object) !== hash);
  const broken = outdated.filter((object) => !isTrue(object, "Available") && !isLeaving(object));
  const allAreThere =
    missing.length === 0 && kept.every((object) => isTrue(object, "Available") && !isLeaving(object));
  return {
    missing,
    superfluous: superfluous.filter((object) => !isLeaving(object)),
    replaced: allAreThere ? outdated.slice(0, 1) : broken,
    current: kept.filter((object) => hashOf(object) === hash && !isLeaving(object)),
  };
}

export function countInstances(instances: readonly KubeObject[], hash: string): InstanceCounts {
  const current = instances.filter((object) => hashOf(object) === hash);
  const ready = instances.filter((object) => isTrue(object, "Available") && !isLeaving(object));
  return { replicas: instances.length, currentReplicas: current.length, readyReplicas: ready.length };
}

function hashOf(instance: KubeObject): unknown {
  return fieldAt(instance, ["spec", "controller", "templateHash"]);
}

function isLeaving(instance: KubeObject): boolean {
  return instance.metadata.deletionTimestamp !== undefined;
}
