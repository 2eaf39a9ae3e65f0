import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { claimStep, parseClaim } from "../plane/claim.ts";
import type { ClaimWatch } from "../plane/claim-watch.ts";
import type { Condition } from "../plane/conditions.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { annotationOf, textAt } from "../plane/plane-object.ts";
import { engineUnavailable, messageOf, type ProviderParts } from "./provider-parts.ts";

/** Pause before a Location that cannot be used is checked again: roles are granted without notice. */
const checkAgainMs = 60_000;

/** Claims a Location of this provider and says whether it can be used. */
export async function workOnLocation(
  plane: FollowedPlane,
  key: string,
  parts: ProviderParts & { readonly claims: ClaimWatch },
  signal: AbortSignal,
): Promise<number | undefined> {
  const { served, log, claims } = parts;
  const location = plane.locations.get(key);
  const claimKey = `${plane.plane} ${key}`;
  // One that is being deleted is served as long as instances keep it.
  if (location === undefined || !served.isServed(location)) {
    claims.forget(claimKey);
    plane.taken.delete(key);
    const isOwnersOwn = textAt(location, "spec", "locationClassName") === "self-managed";
    if (location === undefined || !isOwnersOwn) return undefined;
    return await show(plane, location, selfManaged, parts, signal);
  }
  const text = annotationOf(location, served.claimAnnotation);
  const step = claimStep(parseClaim(text), served.provider, claims.moment(claimKey, text));
  switch (step.kind) {
    case "write": {
      const annotations = { [served.claimAnnotation]: JSON.stringify(step.claim) };
      const written = await plane.writer.metadata(plane.locations, location, { annotations }, signal);
      if (written !== undefined && step.claim.challenger !== undefined) claims.asked(claimKey);
      if (written !== undefined && step.claim.holder === served.provider) plane.ownershipChanged(key);
      return 0;
    }
    case "wait": {
      if (plane.taken.get(key) !== step.holder) {
        plane.taken.set(key, step.holder);
        const { holder } = step;
        log.warn({ plane: plane.plane, location: key, holder }, "another provider serves this location");
      }
      return step.ms;
    }
    case "held":
      plane.taken.delete(key);
      return await show(plane, location, readiness(location, parts), parts, signal);
  }
}

const selfManaged: Condition = {
  type: "Ready",
  status: "Unknown",
  reason: "SelfManaged",
  message: "Managed by the user's own control plane",
};

function readiness(location: PlaneObject, { runtime, health }: ProviderParts): Condition {
  const projectId = textAt(location, "spec", "provider", "cloudA", "projectId") ?? "";
  const problem = runtime.locationProblem?.(projectId);
  if (problem !== undefined) return { type: "Ready", status: "False", ...problem };
  if (health.problem !== undefined) {
    return { type: "Ready", status: "False", ...engineUnavailable };
  }
  const reason = runtime.kind === "emulated" ? "Emulated" : "Ready";
  const note = runtime.locationNote?.();
  const text = `Location is ready${note === undefined ? "" : `: ${note}`}`;
  return { type: "Ready", status: "True", reason, message: messageOf(runtime, text) };
}

async function show(
  plane: FollowedPlane,
  location: PlaneObject,
  condition: Condition,
  { clock }: ProviderParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const written = await plane.writer.condition(plane.locations, location, condition, clock.nowMs(), signal);
  if (written === undefined) return 0;
  return condition.status === "False" ? checkAgainMs : undefined;
}
