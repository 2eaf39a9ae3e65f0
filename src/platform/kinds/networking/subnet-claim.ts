import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { localReference } from "../references.ts";
import { blockFields, subnetFaults, subnetReferences, subnetSpec } from "./subnet-spec.ts";

/** Removed by the controller of claims once the claim's block is released. */
export function subnetClaimFinalizer(groupDomain: string): string {
  return `networking.${groupDomain}/subnet-claim-controller`;
}

/** A request for a subnet of a network at a location. */
export function subnetClaimKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`networking.${groupDomain}`, "SubnetClaim", "subnetclaims"),
    ...declaredInProjects,
    schema: specAndStatus("SubnetClaim requests a subnet of a network at a location.", {
      spec: subnetSpec(
        "The subnet that is requested; the start address and prefix length are wishes. Cannot be changed.",
        [],
      ),
      status: pendingStatus("What is known of the request.", ["Allocated", "Programmed", "Ready"], {
        subnetRef: localReference("The subnet.", "Subnet"),
        ...blockFields,
      }),
    }),
    columns: [ageColumn, ...statusColumns("Ready")],
    prepare: finalizedFromCreation(subnetClaimFinalizer(groupDomain)),
    serverFinalizers: [subnetClaimFinalizer(groupDomain)],
    validate: subnetFaults,
    references: (claim) => subnetReferences(groupDomain, claim),
  };
}
