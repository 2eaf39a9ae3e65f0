import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type Json, type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import { atomicList, listItem, type Schema, textField } from "../../../kube-server/api/schema.ts";
import { duplicateValue, requiredValue } from "../../../kube-server/api/validate.ts";
import { checkName } from "../references.ts";
import { checkScaleSettings, scaleSettingsSchema } from "./scale-settings.ts";

/** Each pair of a placement and a city code becomes a WorkloadDeployment. */
const maxPlacements = 32;
const maxCityCodes = 32;

/** `placements` of a Workload. */
export const placementsSchema: Schema = {
  type: "array",
  description: "Where instances run, and how many.",
  minItems: 1,
  maxItems: maxPlacements,
  items: listItem(["name", "cityCodes", "scaleSettings"], {
    name: textField("Name of the placement, an RFC 1123 label."),
    cityCodes: {
      ...atomicList(textField("A city code."), "Codes of the cities in which instances run, such as DFW."),
      maxItems: maxCityCodes,
    },
    scaleSettings: scaleSettingsSchema,
  }),
};

export function checkPlacements(list: Json | undefined, path: string, faults: FaultList): void {
  const names = new Set<Json>();
  for (const [index, { name = "", cityCodes, scaleSettings }] of objectsIn(list).entries()) {
    if (faults.isFull) return;
    const place = `${path}[${index}]`;
    checkName(name, `${place}.name`, "label", faults);
    if (name !== "" && names.has(name)) faults.add(duplicateValue(`${place}.name`, name));
    names.add(name);
    const codes = stringList(cityCodes);
    if (codes.length === 0) faults.add(requiredValue(`${place}.cityCodes`));
    // Whether a location has a code is known only at admission.
    for (const [item, code] of codes.entries()) {
      if (code === "") faults.add(requiredValue(`${place}.cityCodes[${item}]`));
    }
    checkScaleSettings(scaleSettings, `${place}.scaleSettings`, faults);
  }
}

/** The city codes of a Workload, each once, with its first place. */
export function cityCodesOf(workload: KubeObject | undefined): Map<string, string> {
  const places = new Map<string, string>();
  const placements = objectsIn(fieldAt(workload, ["spec", "placements"]));
  for (const [index, { cityCodes }] of placements.entries()) {
    for (const [item, code] of stringList(cityCodes).entries()) {
      if (!places.has(code)) places.set(code, `spec.placements[${index}].cityCodes[${item}]`);
    }
  }
  return places;
}
