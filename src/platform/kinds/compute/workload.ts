import { conditionsSchema, pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import {
  integerField,
  listItem,
  mapList,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { cityCodeOf, cityCodeReference, locationKind } from "../networking/location.ts";
import { networkNames } from "../networking/resource-names.ts";
import { keysOf } from "../references.ts";
import { networksOfInterfaces } from "./interface-rules.ts";
import { checkPlacements, cityCodesOf, placementsSchema } from "./placements.ts";
import { checkTemplate } from "./template-rules.ts";
import { templateSchema } from "./template-schema.ts";

/** Removed by the workload controllers once what the Workload or WorkloadDeployment created is gone. */
export function workloadFinalizer(groupDomain: string): string {
  return `compute.${groupDomain}/workload-controller`;
}

/** Label of WorkloadDeployments and Instances: the UID of their Workload. */
export function workloadUidLabel(groupDomain: string): string {
  return `compute.${groupDomain}/workload-uid`;
}

/** A count that a status always has. */
export const countField = (description: string): Schema => ({
  ...integerField("int32", description),
  default: 0,
});

/** Counts of instances in a status. */
export const replicaCounts: Readonly<Record<string, Schema>> = {
  replicas: countField("Instances that exist."),
  currentReplicas: countField("Instances of the current template."),
  desiredReplicas: countField("Instances that shall exist."),
};

const status = pendingStatus("What is known of the workload.", ["Available"], {
  ...replicaCounts,
  placements: mapList(
    ["name"],
    listItem(["name"], {
      name: textField("Name of the placement."),
      ...replicaCounts,
      conditions: conditionsSchema,
    }),
    "What is known of each placement.",
  ),
});

/** Instances of one template, in the cities that its placements name. */
export function workloadKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`compute.${groupDomain}`, "Workload", "workloads"),
    ...declaredInProjects,
    schema: specAndStatus("Workload runs instances of a template in the cities of its placements.", {
      spec: objectField("What runs, and where.", ["template", "placements"], {
        template: templateSchema,
        placements: placementsSchema,
      }),
      status,
    }),
    columns: [ageColumn, ...statusColumns("Available")],
    prepare: finalizedFromCreation(workloadFinalizer(groupDomain)),
    serverFinalizers: [workloadFinalizer(groupDomain)],
    validate(workload) {
      const faults = new FaultList();
      checkPlacements(fieldAt(workload, ["spec", "placements"]), "spec.placements", faults);
      checkTemplate(fieldAt(workload, ["spec", "template"]), "spec.template", groupDomain, faults);
      return faults.errors;
    },
    async admit(workload, old, reader) {
      const places = cityCodesOf(workload);
      // A location that goes does not stop other changes of the workloads that named it.
      for (const code of cityCodesOf(old).keys()) places.delete(code);
      if (places.size === 0) return [];
      const known = new Set<string>();
      for await (const each of reader.each(locationKind(groupDomain))) {
        const code = cityCodeOf(each);
        if (code !== undefined) known.add(code);
      }
      const supported = [...known].sort();
      const faults = new FaultList();
      for (const [code, place] of places) {
        if (!known.has(code)) faults.add(unsupportedValue(place, code, supported));
      }
      return faults.errors;
    },
    references(workload) {
      return [...networkKeys(groupDomain, workload), ...cityWords(cityCodesOf(workload).keys())];
    },
  };
}

/** Keys of the networks of a Workload's or WorkloadDeployment's template. */
export function networkKeys(groupDomain: string, object: KubeObject): string[] {
  const interfaces = fieldAt(object, ["spec", "template", "spec", "networkInterfaces"]);
  const networks = networksOfInterfaces(interfaces, object.metadata.namespace ?? "");
  return [...new Set(keysOf(networks.map((network) => [networkNames(groupDomain), network])))];
}

function cityWords(codes: Iterable<string>): string[] {
  return [...codes].map(cityCodeReference).filter((word) => word !== undefined);
}
