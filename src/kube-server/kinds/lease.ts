import type { KindDefinition } from "../api/kind.ts";
import { childObject, type KubeObject } from "../api/object.ts";
import { microTimeField } from "../api/object-meta.ts";
import { integerField, objectField, referTo, type SchemaComponent, textField } from "../api/schema.ts";
import type { FieldError } from "../api/status.ts";
import { invalidValue } from "../api/validate.ts";

const leaseSpec: SchemaComponent = {
  name: "io.k8s.api.coordination.v1.LeaseSpec",
  schema: objectField("LeaseSpec is who holds a lease, and for how long.", [], {
    holderIdentity: textField("Identity of the holder."),
    leaseDurationSeconds: integerField("int32", "How long others wait after renewTime before they take it."),
    acquireTime: microTimeField("Time when the current holder acquired the lease."),
    renewTime: microTimeField("Time when the current holder last renewed the lease."),
    leaseTransitions: integerField("int32", "Number of transitions of the lease between holders."),
    strategy: textField("How a coordinated election chooses the leader."),
    preferredHolder: textField("The holder to which the current one is asked to yield the lease."),
  }),
};

/**
 * coordination.k8s.io/v1 Lease: controllers elect a leader by it. The server never ends a lease: clients
 * decide by its times, and only one of them updates a resource version.
 */
export const leaseKind: KindDefinition = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  plural: "leases",
  shortNames: [],
  categories: [],
  namespaced: true,
  planes: ["organization", "project"],
  nameRule: "subdomain",
  builtIn: true,
  statusSubresource: false,
  providerVerbs: ["create", "patch", "update", "delete"],
  schema: objectField("Lease defines a lease concept.", [], {
    spec: referTo(leaseSpec, "Who holds the lease, and for how long."),
  }),
  columns: [
    {
      name: "Holder",
      type: "string",
      description: "Identity of the holder.",
      priority: 0,
      value: (lease) => String(childObject(lease, "spec")?.["holderIdentity"] ?? ""),
    },
  ],
  selectableFields: {},
  validate,
};

function validate(lease: KubeObject): FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = childObject(lease, "spec") ?? {};
  const faults: FieldError[] = [];
  if (typeof seconds === "number" && seconds <= 0) {
    faults.push(invalidValue("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
  }
  if (typeof transitions === "number" && transitions < 0) {
    faults.push(invalidValue("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
  }
  return faults;
}
