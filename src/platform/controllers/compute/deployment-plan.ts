import { createHash } from "node:crypto";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import {
  childObject,
  identityText,
  isJsonObject,
  type Json,
  type JsonObject,
  type KubeObject,
  stringList,
} from "../../../kube-server/api/object.ts";
import { networksOfInterfaces } from "../../kinds/compute/interface-rules.ts";
import type { NamespacedName } from "../../kinds/references.ts";

/** A placement of a workload, as far as deployments depend on it. */
export interface Placement {
  readonly name: string;
  /** Each once, in the order of the manifest. */
  readonly cityCodes: readonly string[];
  readonly scaleSettings: JsonObject;
}

/** A deployment that a workload wants. */
export interface PlannedDeployment {
  readonly placement: string;
  readonly cityCode: string;
  readonly spec: JsonObject;
}

export function placementsOf(workload: KubeObject): Placement[] {
  const placements = fieldAt(workload, ["spec", "placements"]);
  if (!Array.isArray(placements)) return [];
  return placements.filter(isJsonObject).map((placement) => ({
    name: String(placement["name"]),
    cityCodes: [...new Set(stringList(placement["cityCodes"]))],
    scaleSettings: childObject(placement, "scaleSettings") ?? {},
  }));
}

/** One deployment for each city of a placement that has a location. @param cities those that have one */
export function plannedDeployments(workload: KubeObject, cities: ReadonlySet<string>): PlannedDeployment[] {
  const { name = "", uid = "" } = workload.metadata;
  const template = fieldAt(workload, ["spec", "template"]) ?? {};
  return placementsOf(workload).flatMap(({ name: placement, cityCodes, scaleSettings }) =>
    cityCodes
      .filter((cityCode) => cities.has(cityCode))
      .map((cityCode) => ({
        placement,
        cityCode,
        spec: { workloadRef: { name, uid }, placementName: placement, cityCode, template, scaleSettings },
      })),
  );
}

/** `<workload>-<placement>-<city code>`: names for a deployment, the second for when the first is taken. */
export function deploymentNames(workload: string, planned: PlannedDeployment): readonly [string, string] {
  const plain = `${workload}-${planned.placement}-${planned.cityCode.toLowerCase()}`;
  const identity = `${workload}/${planned.placement}/${planned.cityCode}`;
  const suffix = createHash("sha256").update(identity).digest("hex").slice(0, 8);
  return [plain, `${plain}-${suffix}`];
}

/** Networks of the interfaces of a Workload's or WorkloadDeployment's template, each once for each interface. */
export function networksOfTemplate(object: KubeObject): NamespacedName[] {
  const interfaces = fieldAt(object, ["spec", "template", "spec", "networkInterfaces"]);
  return networksOfInterfaces(interfaces, object.metadata.namespace ?? "");
}

/**
 * Identifies the state of a template, so that instances of an earlier one are replaced. Of network policies
 * only the ports count: who may reach them changes in the instances that run.
 */
export function templateHash(template: JsonObject): string {
  const spec = childObject(template, "spec");
  const interfaces = fieldAt(spec, ["networkInterfaces"]);
  const counted = Array.isArray(interfaces)
    ? { ...template, spec: { ...spec, networkInterfaces: interfaces.map(portsOnly) } }
    : template;
  return createHash("sha256").update(identityText(counted)).digest("hex").slice(0, 10);
}

function portsOnly(networkInterface: Json): Json {
  const ingress = fieldAt(networkInterface, ["networkPolicy", "ingress"]);
  if (!isJsonObject(networkInterface) || !Array.isArray(ingress)) return networkInterface;
  const rules = ingress as readonly Json[];
  const ports = rules.flatMap((rule) => objectsIn(fieldAt(rule, ["ports"])));
  return { ...networkInterface, networkPolicy: [...new Set(ports.map(identityText))].sort() };
}
