import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { invalidQuantity, parseQuantity } from "../../../kube-server/api/quantity.ts";
import { forbiddenValue, invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";

/** A gibibyte, in units of a quantity. */
const gi = 2n ** 30n * 10n ** 9n;
const [least, most, leastOfImages] = [10n, 100n, 25n];

/** Checks a volume with a disk. */
export function checkDisk(disk: Json | undefined, path: string, faults: FaultList): void {
  const spec = fieldAt(disk, ["template", "spec"]);
  const place = `${path}.template.spec`;
  const image = fieldAt(spec, ["populator", "image"]);
  if (fieldAt(image, ["name"]) === "") faults.add(requiredValue(`${place}.populator.image.name`));
  if (image !== undefined && fieldAt(spec, ["populator", "filesystem"]) !== undefined) {
    const why = "may not specify more than 1 disk populator";
    faults.add(forbiddenValue(`${place}.populator.filesystem`, why));
  }
  const resources = fieldAt(spec, ["resources"]);
  if (resources !== undefined) {
    const storage = fieldAt(resources, ["requests", "storage"]);
    checkStorage(storage, `${place}.resources.requests[storage]`, image !== undefined, faults);
  } else if (image === undefined) {
    const why = "volume resource requests are required when not provided by populator";
    faults.add(requiredValue(`${place}.resources`, why));
  }
}

function checkStorage(value: Json | undefined, path: string, hasImage: boolean, faults: FaultList): void {
  if (value === undefined) {
    faults.add(requiredValue(path));
    return;
  }
  const fault = storageFault(parseQuantity(value), hasImage);
  if (fault !== undefined) faults.add(invalidValue(path, value, fault));
}

function storageFault(nano: bigint | undefined, hasImage: boolean): string | undefined {
  if (nano === undefined) return invalidQuantity;
  if (nano < least * gi) return `storage requests must be at least ${least}Gi`;
  if (nano > most * gi) return `storage requests must not exceed ${most}Gi`;
  if (nano % gi !== 0n) return "storage requests must be in increments of 1Gi";
  if (hasImage && nano < leastOfImages * gi) return `must be greater than or equal to ${leastOfImages}Gi`;
  return undefined;
}
