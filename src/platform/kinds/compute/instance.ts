import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import { listItem, objectField, textField } from "../../../kube-server/api/schema.ts";
import { configMapKind } from "../../../kube-server/kinds/config-map.ts";
import { secretKind } from "../../../kube-server/kinds/secret.ts";
import { namedConfigs } from "../../provider/plane/named-configs.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { locationNames } from "../networking/resource-names.ts";
import { checkReference, fullReference, keysOf, referent } from "../references.ts";
import { instanceResources } from "./instance-resources.ts";
import { checkInstance } from "./template-rules.ts";
import { instanceFields, requiredInstanceFields } from "./template-schema.ts";

/** Set and removed by the provider of the location. */
export function instanceProviderFinalizer(groupDomain: string): string {
  return `compute.${groupDomain}/instance-provider`;
}

/** Label of Instances: their ordinal in the WorkloadDeployment. */
export function instanceIndexLabel(groupDomain: string): string {
  return `compute.${groupDomain}/instance-index`;
}

const assignments = ["status", "networkInterfaces", 0, "assignments"];

/** Addresses of the interfaces; `externalIP` beside them is the provider's. */
function assignedAddresses(status: Json | undefined): Json {
  const interfaces = fieldAt(status, ["networkInterfaces"]);
  const addresses = Array.isArray(interfaces)
    ? interfaces.map((each) => fieldAt(each, ["assignments", "networkIP"]) ?? "")
    : [];
  // An interface without an address is as good as none.
  return addresses.join().replace(/,+$/, "");
}

/** Keys of the ConfigMaps and Secrets that an instance runs with. */
function configKeys(instance: KubeObject): string[] {
  const namespace = instance.metadata.namespace ?? "";
  return keysOf(
    namedConfigs(instance).map(({ kind, name }) => {
      return [kind === "Secret" ? secretKind : configMapKind, referent({ namespace, name })] as const;
    }),
  );
}

function containerNames(instance: KubeObject): string[] {
  const containers = fieldAt(instance, ["spec", "runtime", "sandbox", "containers"]);
  const names = (Array.isArray(containers) ? containers : []).map((each) => fieldAt(each, ["name"]));
  return names.filter((name) => typeof name === "string");
}

/** A running unit of a Workload. */
export function instanceKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`compute.${groupDomain}`, "Instance", "instances"),
    ...declaredInProjects,
    statusWriters: "providers",
    logs: {
      containers: (instance) => containerNames(instance),
      provider: (instance) => instance.metadata.annotations?.[`compute.${groupDomain}/provider`],
    },
    schema: specAndStatus(
      "Instance is a running unit of a Workload: a sandbox of containers or a virtual machine.",
      {
        spec: objectField("Desired state of the instance.", requiredInstanceFields, {
          ...instanceFields,
          location: fullReference("The location in which the instance runs.", "Location"),
          controller: objectField("What the controller of the instance notes.", [], {
            templateHash: textField("Hash of the template that the instance was made from."),
          }),
        }),
        status: pendingStatus("What is known of the instance.", ["Available"], {
          networkInterfaces: {
            type: "array",
            description: "What is known of each network interface, in the order of the spec.",
            items: listItem([], {
              assignments: objectField("Addresses of the interface.", [], {
                networkIP: textField("Address in the network."),
                externalIP: textField("Address at which open ports can be reached from outside."),
              }),
            }),
          },
        }),
      },
    ),
    columns: [
      ageColumn,
      ...statusColumns("Available"),
      fieldColumn("Network IP", "Address in the network.", [...assignments, "networkIP"]),
      fieldColumn("External IP", "Address from outside.", [...assignments, "externalIP"]),
    ],
    providerFinalizers: [instanceProviderFinalizer(groupDomain)],
    assigned: assignedAddresses,
    uses: (instance) => [
      ...configKeys(instance),
      ...keysOf([[locationNames(groupDomain), referent(fieldAt(instance, ["spec", "location"]))]]),
    ],
    counts: (instance) => instanceResources(instance["spec"]),
    validate(instance) {
      const faults = new FaultList();
      const { annotations = {} } = instance.metadata;
      checkInstance(instance["spec"], "spec", annotations, "metadata.annotations", groupDomain, faults);
      checkReference(fieldAt(instance, ["spec", "location"]), "spec.location", "subdomain", faults);
      return faults.errors;
    },
  };
}
