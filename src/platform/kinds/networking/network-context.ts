import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import {
  checkImmutableSpec,
  checkReference,
  fullReference,
  keysOf,
  localReference,
  type NamespacedName,
  referent,
} from "../references.ts";
import { locationNames, networkContextNames, networkNames } from "./resource-names.ts";

/** Removed by the controller of contexts once the context's claims and subnets are gone. */
export function networkContextFinalizer(groupDomain: string): string {
  return `networking.${groupDomain}/network-context-controller`;
}

/** Set and removed by the provider of the location. */
export function networkProviderFinalizer(groupDomain: string): string {
  return `networking.${groupDomain}/network-provider`;
}

/** A word for {@link KindDefinition.references}: what needs a network at a location. */
export function contextReference(network: NamespacedName, location: NamespacedName): string {
  const parts = [network.namespace, network.name, location.namespace, location.name];
  return `network-context:${parts.join("/")}`;
}

/** The network and the location of a NetworkContext. */
export function networkOfContext(context: KubeObject): NamespacedName | undefined {
  const name = fieldAt(context, ["spec", "network", "name"]);
  return referent({ name: name ?? null }, context.metadata.namespace);
}

export function locationOfContext(context: KubeObject): NamespacedName | undefined {
  return referent(fieldAt(context, ["spec", "location"]));
}

/** A network at a location. */
export function networkContextKind(groupDomain: string): KindDefinition {
  return {
    ...networkContextNames(groupDomain),
    ...declaredInProjects,
    statusWriters: "providers",
    schema: specAndStatus("NetworkContext is a network at a location.", {
      spec: {
        type: "object",
        description: "The network and the location. Cannot be changed.",
        required: ["network", "location"],
        properties: {
          network: localReference("The network, in the namespace of this object.", "Network"),
          location: fullReference("The location.", "Location"),
        },
      },
      status: pendingStatus("What is known of the network at the location.", ["Programmed", "Ready"]),
    }),
    columns: [ageColumn, ...statusColumns("Ready")],
    prepare: finalizedFromCreation(networkContextFinalizer(groupDomain)),
    serverFinalizers: [networkContextFinalizer(groupDomain)],
    providerFinalizers: [networkProviderFinalizer(groupDomain)],
    validate(context, old) {
      const faults = new FaultList();
      checkReference(fieldAt(context, ["spec", "network"]), "spec.network", "subdomain", faults);
      checkReference(fieldAt(context, ["spec", "location"]), "spec.location", "subdomain", faults);
      checkImmutableSpec(context, old, faults);
      return faults.errors;
    },
    references(context) {
      const [network, location] = [networkOfContext(context), locationOfContext(context)];
      const keys = keysOf([
        [networkNames(groupDomain), network],
        [locationNames(groupDomain), location],
      ]);
      return network === undefined || location === undefined
        ? keys
        : [...keys, contextReference(network, location)];
    },
  };
}
