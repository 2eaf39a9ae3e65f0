import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { assignedBlock, blockFields, subnetFaults, subnetReferences, subnetSpec } from "./subnet-spec.ts";

/** Set and removed by the provider of the location. */
export function subnetProviderFinalizer(groupDomain: string): string {
  return `networking.${groupDomain}/subnet-provider`;
}

/** A block of addresses of a network at a location. */
export function subnetKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`networking.${groupDomain}`, "Subnet", "subnets"),
    ...declaredInProjects,
    statusWriters: "providers",
    schema: specAndStatus("Subnet is a block of addresses of a network at a location.", {
      spec: subnetSpec("The block and what it is for. Cannot be changed.", Object.keys(blockFields)),
      status: pendingStatus(
        "What is known of the subnet.",
        ["Allocated", "Programmed", "Ready"],
        blockFields,
      ),
    }),
    columns: [
      ageColumn,
      ...statusColumns("Ready"),
      fieldColumn("Start Address", "First address of the block.", ["status", "startAddress"]),
      fieldColumn("Prefix Length", "Length of the prefix, in bits.", ["status", "prefixLength"], "integer"),
    ],
    providerFinalizers: [subnetProviderFinalizer(groupDomain)],
    assigned: assignedBlock,
    validate: subnetFaults,
    references: (subnet) => subnetReferences(groupDomain, subnet),
  };
}
