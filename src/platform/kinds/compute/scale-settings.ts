import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { invalidQuantity, parseQuantity, quantityField } from "../../../kube-server/api/quantity.ts";
import {
  integerField,
  listItem,
  objectField,
  type Schema,
  textField,
} from "../../../kube-server/api/schema.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { forbiddenValue, invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";

/** `scaleSettings` of a placement or WorkloadDeployment. */
export const scaleSettingsSchema: Schema = objectField(
  "How many instances run in each city.",
  ["minReplicas"],
  {
    minReplicas: integerField("int32", "Least number of instances, from 1 to 1000."),
    maxReplicas: integerField("int32", "Largest number of instances."),
    metrics: {
      type: "array",
      description: "Metrics that the number of instances follows.",
      maxItems: 16,
      items: listItem(["resource"], {
        resource: objectField("Use of a resource.", ["name", "target"], {
          name: textField("Name of the resource. The only one is cpu."),
          target: objectField("The use to aim at; exactly one of the fields.", [], {
            value: quantityField("Use of all instances."),
            averageValue: quantityField("Use of one instance."),
            averageUtilization: integerField("int32", "Use of one instance, in percent."),
          }),
        }),
      }),
    },
  },
);

const maxReplicas = 1_000;
const targets = ["value", "averageValue", "averageUtilization"] as const;

export function checkScaleSettings(settings: Json | undefined, path: string, faults: FaultList): void {
  const least = fieldAt(settings, ["minReplicas"]);
  const most = fieldAt(settings, ["maxReplicas"]);
  const metrics = objectsIn(fieldAt(settings, ["metrics"]));
  checkReplicas(least, `${path}.minReplicas`, faults);
  if (most !== undefined) {
    checkReplicas(most, `${path}.maxReplicas`, faults);
    if (Number(most) < Number(least)) {
      const why = "must be greater than or equal to `minReplicas`";
      faults.add(invalidValue(`${path}.maxReplicas`, most, why));
    }
    if (metrics.length === 0) {
      const why = "must provide scaling metrics when maxReplicas is provided";
      faults.add(requiredValue(`${path}.metrics`, why));
    }
  }
  for (const [index, { resource }] of metrics.entries()) {
    if (faults.isFull) return;
    const place = `${path}.metrics[${index}].resource`;
    const name = fieldAt(resource, ["name"]) ?? "";
    if (name !== "cpu") faults.add(unsupportedValue(`${place}.name`, name, ["cpu"]));
    checkTarget(fieldAt(resource, ["target"]), `${place}.target`, faults);
  }
}

function checkReplicas(count: Json | undefined, path: string, faults: FaultList): void {
  if (typeof count !== "number" || count <= 0) {
    faults.add(invalidValue(path, count ?? null, "must be greater than 0"));
  } else if (count > maxReplicas) {
    faults.add(invalidValue(path, count, `must be less than or equal to ${maxReplicas}`));
  }
}

function checkTarget(target: Json | undefined, path: string, faults: FaultList): void {
  const [first, second] = targets.filter((each) => fieldAt(target, [each]) !== undefined);
  if (first === undefined) {
    faults.add(requiredValue(path, "must specify a target value"));
    return;
  }
  if (second !== undefined) {
    faults.add(forbiddenValue(`${path}.${second}`, "may not specify more than 1 target value"));
  }
  const value = fieldAt(target, [first]) ?? null;
  const amount = parseQuantity(value);
  if (amount === undefined) faults.add(invalidValue(`${path}.${first}`, value, invalidQuantity));
  else if (amount <= 0n) faults.add(invalidValue(`${path}.${first}`, value, "must be greater than 0"));
}
