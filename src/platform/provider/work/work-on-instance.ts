import { describeError } from "../../../base/core/errors.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { ConfigData } from "../instance/environment.ts";
import { rangedRules } from "../instance/open-ports.ts";
import { reportedStatus, resolveInstance } from "../instance/resolve-instance.ts";
import { deploymentOf } from "../instance/workload-names.ts";
import { type Condition, withCondition } from "../plane/conditions.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { namedConfigs } from "../plane/named-configs.ts";
import { networkKeys } from "../plane/network-keys.ts";
import { namespaceOf, objectsAt, textAt, uidOf } from "../plane/plane-object.ts";
import { type InstanceState, type InstanceStatus, RuntimeError } from "../runtime/runtime.ts";
import { type HeldWork, type Removal, workOnHeld } from "./held-object.ts";
import { engineUnavailable, messageOf, type ProviderParts } from "./provider-parts.ts";

/** Pause between the steps of a removal. */
const removeAgainMs = 1_000;

/** Takes the next step towards what an Instance asks for, and writes what was seen. */
export async function workOnInstance(
  plane: FollowedPlane,
  key: string,
  parts: ProviderParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const work: HeldWork = {
    collection: plane.instances,
    finalizer: "compute/instance-provider",
    keep: (instance) => run(plane, instance, parts, signal),
    remove: (instance) => remove(plane, instance, parts, signal),
  };
  return await workOnHeld(plane, key, parts, work, signal);
}

async function run(
  plane: FollowedPlane,
  object: PlaneObject,
  parts: ProviderParts,
  signal: AbortSignal,
): Promise<number | undefined> {
  const { configs, workloads, runtime, networks, health } = parts;
  const contents = new Map<string, ConfigData | undefined>();
  for (const named of namedConfigs(object)) {
    const data = await configs.read(plane, namespaceOf(object), named, signal);
    contents.set(`${named.kind}/${named.name}`, data);
  }
  const resolved = resolveInstance(object, {
    plane: plane.plane,
    // Only an engine's containers have it, for their metrics.
    workload: runtime.kind === "engine" ? await workloads.of(plane, object, signal) : "",
    context: (networkKey) => plane.contextOf(networkKey),
    config: (kind, name) => contents.get(`${kind}/${name}`),
    groupDomain: parts.groupDomain,
  });
  if (resolved.kind === "early") return undefined;
  if (resolved.kind === "missing") {
    // What runs keeps running, as it was made.
    if (reportedStatus(object) === "Running") {
      const { networks: known } = resolved;
      const areKnown = known.length === objectsAt(object, "spec", "networkInterfaces").length;
      // Who may reach it is not a matter of how it was made.
      if (areKnown) await runtime.openPorts?.(uidOf(object), known, signal);
      return undefined;
    }
    const message = messageOf(runtime, resolved.message);
    const condition = { status: "False", reason: "ReferenceNotFound", message } as const;
    return (await write(plane, object, { condition }, parts, signal)) ? undefined : 0;
  }
  try {
    for (const networkKey of networkKeys(object)) {
      const context = plane.contextOf(networkKey);
      // Comes again with the Subnet.
      if (context === undefined || !(await networks.ensure(plane, context, signal))) return undefined;
    }
    const state = await runtime.ensureInstance(resolved.instance, signal);
    health.responded();
    if (state.failure !== undefined) await warn(plane, object, state.failure, parts, signal);
    const isNew = state.status === "Running" && reportedStatus(object) !== "Running";
    if (isNew && runtime.enforcesSources === false) await warnOfRules(plane, object, parts, signal);
    const seen = { condition: availability(state, parts), addresses: state.externalAddresses };
    return (await write(plane, object, seen, parts, signal)) ? state.againMs : 0;
  } catch (error) {
    if (error instanceof RuntimeError) await report(plane, object, error, parts, signal);
    throw error;
  }
}

/** An Event about the Instance, once for each text. */
async function warn(
  plane: FollowedPlane,
  instance: PlaneObject,
  what: { readonly reason: string; readonly message: string },
  { events, groupDomain }: ProviderParts,
  signal: AbortSignal,
): Promise<void> {
  const about = {
    apiVersion: `compute.${groupDomain}/v1alpha`,
    kind: "Instance",
    namespace: namespaceOf(instance),
    name: textAt(instance, "metadata", "name") ?? "",
    uid: uidOf(instance),
  };
  await events.warn(plane, about, what, signal);
}

/** Warns of rules that nothing enforces: about the deployment, whose instances all have them. */
async function warnOfRules(
  plane: FollowedPlane,
  instance: PlaneObject,
  { events, groupDomain }: ProviderParts,
  signal: AbortSignal,
): Promise<void> {
  const rules = rangedRules(instance);
  if (rules === undefined) return;
  const { name, uid } = deploymentOf(instance);
  const subject =
    name === undefined || uid === undefined
      ? { kind: "Instance", name: textAt(instance, "metadata", "name") ?? "", uid: uidOf(instance) }
      : { kind: "WorkloadDeployment", name, uid };
  const about = {
    apiVersion: `compute.${groupDomain}/v1alpha`,
    namespace: namespaceOf(instance),
    ...subject,
  };
  const why = "the provider has no firewall, so rules for some address ranges open nothing";
  const message = `${why}: ${rules}; a rule from 0.0.0.0/0 opens its ports to everybody`;
  await events.warn(plane, about, { reason: "NetworkPolicyNotEnforced", message }, signal);
}

async function remove(
  plane: FollowedPlane,
  object: PlaneObject,
  parts: ProviderParts,
  signal: AbortSignal,
): Promise<Removal> {
  const { runtime, health } = parts;
  const stopping = { condition: statusCondition("Stopping", undefined, parts) };
  const instance = await write(plane, object, stopping, parts, signal);
  if (instance === undefined) return { againMs: 0 };
  try {
    const isGone = await runtime.removeInstance(uidOf(instance), signal);
    health.responded();
    return isGone ? { removed: instance } : { againMs: removeAgainMs };
  } catch (error) {
    if (error instanceof RuntimeError && error.outcome === "unavailable") health.failed(error.message);
    throw error;
  }
}

/** Shows a step that failed. While the runtime is unavailable, nothing is known: at first nothing is shown. */
async function report(
  plane: FollowedPlane,
  object: PlaneObject,
  error: RuntimeError,
  parts: ProviderParts,
  signal: AbortSignal,
): Promise<void> {
  const { health, runtime } = parts;
  if (error.outcome === "refused") {
    health.responded();
    const message = messageOf(runtime, error.shown);
    const condition = { status: "False", reason: error.reason, message } as const;
    await write(plane, object, { condition }, parts, signal);
    await warn(plane, object, { reason: error.reason, message }, parts, signal);
    return;
  }
  health.failed(describeError(error));
  if (health.problem === undefined) return;
  const condition = { status: "Unknown", ...engineUnavailable } as const;
  await write(plane, object, { condition }, parts, signal);
}

interface SeenState {
  readonly condition: Omit<Condition, "type">;
  /** External addresses, in the order of the interfaces; absent: they stay. */
  readonly addresses?: readonly string[];
}

/** Writes a status, if it differs. @returns undefined when the object has changed meanwhile */
async function write(
  plane: FollowedPlane,
  object: PlaneObject,
  { condition, addresses }: SeenState,
  { clock }: ProviderParts,
  signal: AbortSignal,
): Promise<PlaneObject | undefined> {
  const conditions = withCondition(object, { type: "Available", ...condition }, clock.nowMs());
  const networkInterfaces = addresses && withAddresses(object, addresses);
  if (conditions === undefined && networkInterfaces === undefined) return object;
  const status = {
    ...(conditions === undefined ? {} : { conditions }),
    ...(networkInterfaces === undefined ? {} : { networkInterfaces }),
  };
  return await plane.writer.status(plane.instances, object, status, signal);
}

/** The interfaces with their external addresses, everything else as it is; undefined if nothing changes. */
export function withAddresses(
  object: PlaneObject,
  addresses: readonly string[],
): Record<string, unknown>[] | undefined {
  const before = objectsAt(object, "status", "networkInterfaces");
  let isSame = true;
  const after = before.map((each, index) => {
    if (textAt(each, "assignments", "externalIP") === addresses[index]) return each;
    isSame = false;
    const { externalIP: _, ...assignments } = (each["assignments"] ?? {}) as Record<string, unknown>;
    const externalIP = addresses[index];
    return { ...each, assignments: externalIP === undefined ? assignments : { ...assignments, externalIP } };
  });
  return isSame ? undefined : after;
}

function availability(state: InstanceState, parts: ProviderParts): SeenState["condition"] {
  return statusCondition(state.status, state.detail, parts);
}

function statusCondition(
  status: InstanceStatus,
  detail: string | undefined,
  { runtime }: ProviderParts,
): SeenState["condition"] {
  const text = `Instance status is ${status.toUpperCase()}${detail === undefined ? "" : `: ${detail}`}`;
  return {
    status: status === "Running" ? "True" : "False",
    reason: `InstanceIs${status}`,
    message: messageOf(runtime, text),
  };
}
