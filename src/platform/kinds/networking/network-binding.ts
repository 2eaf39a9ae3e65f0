import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import {
  checkImmutableSpec,
  checkReference,
  fullReference,
  keysOf,
  type NamespacedName,
  openReference,
  referent,
} from "../references.ts";
import { contextReference } from "./network-context.ts";
import { networkNames } from "./resource-names.ts";

/** The network that a NetworkBinding asks for. */
export function networkOfBinding(binding: KubeObject): NamespacedName | undefined {
  return referent(fieldAt(binding, ["spec", "network"]), binding.metadata.namespace);
}

/** The location at which a NetworkBinding asks for it. */
export function locationOfBinding(binding: KubeObject): NamespacedName | undefined {
  return referent(fieldAt(binding, ["spec", "location"]));
}

/** A request for a network at a location. */
export function networkBindingKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`networking.${groupDomain}`, "NetworkBinding", "networkbindings"),
    ...declaredInProjects,
    schema: specAndStatus("NetworkBinding requests a network at a location.", {
      spec: {
        type: "object",
        description: "The network and the location. Cannot be changed.",
        required: ["network", "location"],
        properties: {
          network: openReference("The network.", "Network", "the namespace of this object"),
          location: fullReference("The location.", "Location"),
        },
      },
      status: pendingStatus("What is known of the request.", ["Ready"], {
        networkContextRef: fullReference("The network at the location.", "NetworkContext"),
      }),
    }),
    columns: [ageColumn, ...statusColumns("Ready")],
    validate(binding, old) {
      const faults = new FaultList();
      checkReference(fieldAt(binding, ["spec", "network"]), "spec.network", "subdomain", faults);
      checkReference(fieldAt(binding, ["spec", "location"]), "spec.location", "subdomain", faults);
      checkImmutableSpec(binding, old, faults);
      return faults.errors;
    },
    references(binding) {
      const [network, location] = [networkOfBinding(binding), locationOfBinding(binding)];
      const needed = network && location && contextReference(network, location);
      return [...keysOf([[networkNames(groupDomain), network]]), ...(needed === undefined ? [] : [needed])];
    },
  };
}
