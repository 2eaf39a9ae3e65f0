import { fieldColumn } from "../../../kube-server/api/columns.ts";
import { pendingStatus, statusColumns } from "../../../kube-server/api/conditions.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { ageColumn, type KindDefinition } from "../../../kube-server/api/kind.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import { choiceField, objectField, type Schema, textMap } from "../../../kube-server/api/schema.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { declaredInProjects, specAndStatus } from "../declared-in-projects.ts";
import { locationNames } from "./resource-names.ts";

/** Key of `spec.topology` with the city that a location is in. The same for every group domain. */
export const cityCodeTopology = "topology.platform/city-code";

/** `platform.cityCodes`, unless configured: Dallas Fort Worth, London Heathrow and The Dalles. */
export const defaultCityCodes: readonly string[] = ["DFW", "LHR", "DLS"];

/** City code of a location. */
export function cityCodeOf(location: KubeObject | undefined): string | undefined {
  const code = fieldAt(location, ["spec", "topology", cityCodeTopology]);
  return typeof code === "string" && code !== "" ? code : undefined;
}

/** Whether a value has the form of a city code; WorkloadDeployments have it in their names. */
export function isCityCode(value: Json | undefined): value is string {
  return typeof value === "string" && /^[A-Z0-9]{1,16}$/.test(value);
}

/** A word for {@link KindDefinition.references}: what depends on the locations of a city. */
export function cityCodeReference(code: Json | undefined): string | undefined {
  return isCityCode(code) ? `city-code:${code}` : undefined;
}

const requiredText = (description: string): Schema => ({ type: "string", description, minLength: 1 });

const spec: Schema = objectField(
  "Where the location is, and who provides it.",
  ["locationClassName", "topology", "provider"],
  {
    locationClassName: choiceField(
      "Who manages the location: platform-managed for the platform's control plane, self-managed for " +
        "a control plane of the user's own.",
      ["platform-managed", "self-managed"],
    ),
    topology: textMap(`Topology of the location. ${cityCodeTopology} is the code of the city that it is in.`),
    provider: objectField("What provides the location.", ["cloudA"], {
      cloudA: objectField("A zone of the cloud provider.", ["projectId", "region", "zone"], {
        projectId: requiredText("Project in the cloud provider."),
        region: requiredText("Region of the cloud provider, such as us-south1."),
        zone: requiredText("Zone of the cloud provider, such as us-south1-a."),
      }),
    }),
  },
);

/**
 * A place where workloads run.
 *
 * @param cityCodes `platform.cityCodes`
 */
export function locationKind(
  groupDomain: string,
  cityCodes: readonly string[] = defaultCityCodes,
): KindDefinition {
  const [ready, reason] = statusColumns("Ready");
  const supported = [...cityCodes].sort();
  return {
    ...locationNames(groupDomain),
    ...declaredInProjects,
    statusWriters: "providers",
    deletedLast: true,
    schema: specAndStatus("Location is a place where workloads run, such as a zone of a cloud provider.", {
      spec,
      status: pendingStatus("What is known of the location.", ["Ready"]),
    }),
    columns: [
      fieldColumn("Class", "Who manages the location.", ["spec", "locationClassName"]),
      fieldColumn("City", "Code of the city that the location is in.", [
        ...["spec", "topology", cityCodeTopology],
      ]),
      ageColumn,
      ready,
      reason,
    ],
    validate(location, old) {
      const code = cityCodeOf(location);
      // A code that is no longer configured does not stop other changes of its locations.
      if (code === undefined || code === cityCodeOf(old) || cityCodes.includes(code)) return [];
      return [unsupportedValue(`spec.topology[${cityCodeTopology}]`, code, supported)];
    },
  };
}
