import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { parseQuantity } from "../../../kube-server/api/quantity.ts";

const gibibyte = 2 ** 30;

/** Resources of an instance of each type. */
export const instanceTypes: Readonly<Record<string, { readonly cpu: number; readonly memoryBytes: number }>> =
  {
    "platformcloud/d1-standard-2": { cpu: 2, memoryBytes: 8 * gibibyte },
  };

/** Of a disk with an image that names no size: the least that such a disk may have. */
const imageDiskBytes = 25 * gibibyte;
/** What a container may write outside of its volumes; providers limit it to that. */
const containerDiskBytes = 10 * gibibyte;

/** What an Instance counts towards quotas: all that it may use, by its type, disks and containers. */
export function instanceResources(spec: Json | undefined): Readonly<Record<string, number>> {
  const type = String(fieldAt(spec, ["runtime", "resources", "instanceType"]));
  const size = Object.hasOwn(instanceTypes, type) ? instanceTypes[type] : undefined;
  const disks = objectsIn(fieldAt(spec, ["volumes"])).filter(({ disk }) => disk !== undefined);
  const containers = objectsIn(fieldAt(spec, ["runtime", "sandbox", "containers"]));
  const diskBytes = disks.reduce(
    (sum, { disk }) => sum + sizeOf(disk),
    containers.length * containerDiskBytes,
  );
  return { instances: 1, ...size, diskBytes };
}

function sizeOf(disk: Json | undefined): number {
  const storage = fieldAt(disk, ["template", "spec", "resources", "requests", "storage"]);
  const nano = parseQuantity(storage);
  return nano === undefined ? imageDiskBytes : Number(nano / 10n ** 9n);
}
