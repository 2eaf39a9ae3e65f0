import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { objectField, textField } from "../../../kube-server/api/schema.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";
import { alphaNames, declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { cityCodeReference, isCityCode } from "../networking/location.ts";
import { locationNames } from "../networking/resource-names.ts";
import { checkName, fullReference, keysOf, type NamespacedName, referent } from "../references.ts";
import { checkScaleSettings, scaleSettingsSchema } from "./scale-settings.ts";
import { checkTemplate } from "./template-rules.ts";
import { templateSchema } from "./template-schema.ts";
import { countField, networkKeys, replicaCounts, workloadFinalizer } from "./workload.ts";

/** Label of Instances: the UID of their WorkloadDeployment. */
export function workloadDeploymentUidLabel(groupDomain: string): string {
  return `compute.${groupDomain}/workload-deployment-uid`;
}

/** The location that a deployment was assigned. */
export function locationOfDeployment(deployment: KubeObject): NamespacedName | undefined {
  return referent(fieldAt(deployment, ["status", "location"]));
}

/** Instances of a Workload in one city. */
export function workloadDeploymentKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`compute.${groupDomain}`, "WorkloadDeployment", "workloaddeployments"),
    ...declaredInProjects,
    schema: specAndStatus("WorkloadDeployment runs the instances of a Workload's placement in one city.", {
      spec: objectField(
        "What runs, and where; kept equal to what the Workload says.",
        ["workloadRef", "placementName", "cityCode", "template", "scaleSettings"],
        {
          workloadRef: objectField("The Workload.", ["name", "uid"], {
            name: textField("Name of the Workload."),
            uid: textField("UID of the Workload."),
          }),
          placementName: textField("Name of the Workload's placement."),
          cityCode: textField("Code of the city in which instances run."),
          template: templateSchema,
          scaleSettings: scaleSettingsSchema,
        },
      ),
      status: pendingStatus("What is known of the instances.", ["Available"], {
        location: fullReference("The location in which instances run.", "Location"),
        ...replicaCounts,
        readyReplicas: countField("Instances that are available."),
      }),
    }),
    columns: [
      ageColumn,
      fieldColumn("Location Namespace", "Namespace of the location.", ["status", "location", "namespace"]),
      fieldColumn("Location Name", "Name of the location.", ["status", "location", "name"]),
      ...statusColumns("Available"),
    ],
    prepare: finalizedFromCreation(workloadFinalizer(groupDomain)),
    serverFinalizers: [workloadFinalizer(groupDomain)],
    validate(deployment) {
      const faults = new FaultList();
      checkName(fieldAt(deployment, ["spec", "placementName"]), "spec.placementName", "label", faults);
      const code = fieldAt(deployment, ["spec", "cityCode"]) ?? "";
      if (!isCityCode(code))
        faults.add(invalidValue("spec.cityCode", code, "must be a city code such as DFW"));
      checkTemplate(fieldAt(deployment, ["spec", "template"]), "spec.template", groupDomain, faults);
      checkScaleSettings(fieldAt(deployment, ["spec", "scaleSettings"]), "spec.scaleSettings", faults);
      return faults.errors;
    },
    uses: (deployment) => keysOf([[locationNames(groupDomain), locationOfDeployment(deployment)]]),
    references(deployment) {
      const city = cityCodeReference(fieldAt(deployment, ["spec", "cityCode"]));
      const location = locationOfDeployment(deployment);
      return [
        ...(city === undefined ? [] : [city]),
        ...networkKeys(groupDomain, deployment),
        ...keysOf([[locationNames(groupDomain), location]]),
      ];
    },
  };
}
