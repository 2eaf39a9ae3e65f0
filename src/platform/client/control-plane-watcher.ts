import type { Clock } from "../../base/core/clock.ts";
import type { Service } from "../../base/core/service.ts";
import { runServices } from "../../base/core/service.ts";
import { isObject, valueAt } from "../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../base/log/log.ts";
import { type CheckedPolicy, checkExportPolicy } from "../../exporter/policy/spec/check-policy.ts";
import { secretsOf } from "../../exporter/policy/spec/credentials.ts";
import { basicAuthType, checkSecret } from "../../exporter/policy/spec/secret.ts";
import type { PolicyRef, Secret } from "../../exporter/policy/spec/types.ts";
import type { PolicyStore } from "../../exporter/policy/store.ts";
import type { PlaneClient } from "./api/plane-client.ts";
import { createReflector } from "./api/reflector.ts";
import type { PlaneObject, ReflectorEffect } from "./api/reflector-step.ts";
import { type NamedSecret, OtherSecrets } from "./other-secrets.ts";
import { type SeenStatus, seenStatus } from "./status/status-decision.ts";

export interface PlaneSourceOptions {
  /** The project: policies are filed under its name. */
  readonly plane: string;
  readonly groupDomain: string;
  readonly client: PlaneClient;
  readonly store: PolicyStore;
  /** Label forced on the project's queries; its policies must not name it. */
  readonly tenantLabel?: string | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
}

export interface ControlPlaneWatcher extends Service {
  /** The policy's status in the control plane; undefined if the policy does not exist there. */
  statusOf(ref: PolicyRef): SeenStatus | undefined;
}

/** Path of a collection that the exporter reads, across all namespaces. */
export function policiesPath(groupDomain: string): string {
  return `/apis/telemetry.${groupDomain}/v1alpha1/exportpolicies`;
}
export const secretsPath = "/api/v1/secrets";

/**
 * Follows the policies and Secrets of one control plane. Reads only basic-authentication Secrets; see {@link
 * OtherSecrets} for the others. Adds the plane to the store once both collections are listed; afterwards
 * updates it object by object, or as a whole after a relist.
 */
export function createControlPlaneWatcher(options: PlaneSourceOptions): ControlPlaneWatcher {
  const { plane, groupDomain, client, store, clock, log, random } = options;
  let policies: Map<string, Seen> | undefined;
  let secrets: Map<string, Secret> | undefined;
  let others: readonly Secret[] = [];

  const swapPlane = (): void => {
    if (policies === undefined || secrets === undefined) return;
    store.replacePlane(plane, {
      policies: [...policies.values()].map(({ checked }) => checked),
      secrets: [...others, ...secrets.values()],
    });
    otherSecrets.notice();
  };
  const isListed = () => policies !== undefined && secrets !== undefined;

  const missing = (): NamedSecret[] => {
    if (!isListed()) return [];
    const named = new Map<string, { namespace: string; name: string; keys: Set<string> }>();
    for (const { checked } of policies?.values() ?? []) {
      const { namespace } = checked.ref;
      for (const { name, keys } of (checked.policy?.sinks ?? []).flatMap(secretsOf)) {
        const key = keyOf({ namespace, name });
        if (secrets?.has(key)) continue;
        const known = named.get(key) ?? { namespace, name, keys: new Set() };
        for (const each of keys) known.keys.add(each);
        named.set(key, known);
      }
    }
    return [...named.values()].map(({ keys, ...secret }) => ({ ...secret, keys: [...keys].sort() }));
  };
  const onOthers = (found: readonly Secret[]): void => {
    const before = others;
    others = found;
    const isFollowed = (secret: Secret) => secrets?.has(keyOf(secret)) === true;
    for (const secret of before) if (!isFollowed(secret)) store.deleteSecret(secret);
    for (const secret of others) if (!isFollowed(secret)) store.putSecret(secret);
  };
  const otherSecrets = new OtherSecrets({ client, plane, missing, onChange: onOthers, clock, log });

  const onPolicy = (effect: ReflectorEffect): void => {
    if (effect.kind === "swap") {
      const seen = effect.items
        .map((object) => seenPolicy(object, options))
        .filter((each) => each !== undefined);
      policies = new Map(seen.map((each) => [keyOf(each.checked.ref), each]));
      swapPlane();
      return;
    }
    const seen = seenPolicy(effect.object, options);
    if (seen === undefined || policies === undefined) return;
    const { ref } = seen.checked;
    if (effect.kind === "delete") {
      policies.delete(keyOf(ref));
      if (isListed()) store.deletePolicy(ref);
      otherSecrets.notice();
      return;
    }
    const before = policies.get(keyOf(ref));
    policies.set(keyOf(ref), seen);
    // Our own status writes come back as events, and labels may change: neither is work for the exporter.
    if (before?.look === seen.look || !isListed()) return;
    store.putPolicy(seen.checked);
    otherSecrets.notice();
  };

  const onSecret = (effect: ReflectorEffect): void => {
    const read = (object: PlaneObject) => checkSecret(object, plane).secret;
    if (effect.kind === "swap") {
      const known = effect.items.map(read).filter((secret) => secret !== undefined);
      secrets = new Map(known.map((secret) => [keyOf(secret), secret]));
      swapPlane();
      return;
    }
    const secret = read(effect.object);
    if (secret === undefined || secrets === undefined) return;
    if (effect.kind === "delete") {
      secrets.delete(keyOf(secret));
      if (isListed()) store.deleteSecret(secret);
    } else {
      secrets.set(keyOf(secret), secret);
      if (isListed()) store.putSecret(secret);
    }
    otherSecrets.notice();
  };

  const common = { client, clock, log: log.child({ plane }), random };
  const reflectors = [
    createReflector({
      ...common,
      path: policiesPath(groupDomain),
      apiVersion: `telemetry.${groupDomain}/v1alpha1`,
      kind: "ExportPolicy",
      onEffect: onPolicy,
    }),
    createReflector({
      ...common,
      path: secretsPath,
      select: { fieldSelector: `type=${basicAuthType}` },
      apiVersion: "v1",
      kind: "Secret",
      onEffect: onSecret,
    }),
  ];
  return {
    name: `control plane ${plane}`,
    statusOf: (ref) => {
      const seen = policies?.get(keyOf(ref));
      return seen?.checked.ref.uid === ref.uid ? seen.status : undefined;
    },
    snapshot: () => ({
      plane,
      listed: isListed(),
      policies: policies?.size ?? 0,
      collections: reflectors.map((reflector) => reflector.snapshot()),
    }),
    run: (signal) =>
      runServices(
        [
          ...reflectors.map(({ run }, index) => ({ name: `${plane} ${index}`, run })),
          { name: `${plane} other secrets`, run: (stop) => otherSecrets.run(stop) },
        ],
        signal,
      ),
  };
}

/** A policy, with the parts whose change matters to the exporter. */
interface Seen {
  readonly checked: CheckedPolicy;
  readonly look: string;
  readonly status: SeenStatus;
}

function seenPolicy(
  object: PlaneObject,
  { plane, tenantLabel }: Pick<PlaneSourceOptions, "plane" | "tenantLabel">,
): Seen | undefined {
  const { checked } = checkExportPolicy(object, { plane, unknownFields: "warning", tenantLabel });
  if (checked === undefined) return undefined;
  const annotations = valueAt(object, ["metadata", "annotations"]);
  const paused = isObject(annotations)
    ? Object.entries(annotations).filter(([name]) => name.endsWith("/paused"))
    : [];
  return {
    checked,
    look: JSON.stringify([checked.ref.uid, checked.generation, paused]),
    status: seenStatus(object["status"]),
  };
}

function keyOf(object: { readonly namespace: string; readonly name: string }): string {
  return `${object.namespace}/${object.name}`;
}
