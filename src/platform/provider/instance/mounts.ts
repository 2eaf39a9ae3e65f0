import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { numberAt, objectsAt, textAt } from "../plane/plane-object.ts";
import type { RuntimeMount } from "../runtime/runtime.ts";
import type { ConfigReader } from "./environment.ts";
import { parseQuantity } from "./quantity.ts";

const defaultMode = 0o644;
/** Of a disk whose template names no size: that of the smallest one. */
const defaultDiskBytes = 10 * 2 ** 30;

/**
 * What a container's volume attachments mount: ConfigMaps and Secrets as files, disks as volumes. Attachments
 * without a path mount nothing.
 *
 * @param missing collects what is not there yet
 */
export function mounts(
  instance: PlaneObject,
  container: Record<string, unknown>,
  read: ConfigReader,
  missing: Set<string>,
): RuntimeMount[] {
  const volumes = new Map(objectsAt(instance, "spec", "volumes").map((volume) => [volume["name"], volume]));
  return objectsAt(container, "volumeAttachments").flatMap((attachment) => {
    const path = textAt(attachment, "mountPath");
    const volume = volumes.get(attachment["name"]);
    if (path === undefined || volume === undefined) return [];
    return mountOf(volume, path, read, missing) ?? [];
  });
}

/** What a volume is at a path; undefined if what it names is not there. */
export function mountOf(
  spec: Record<string, unknown>,
  path: string,
  read: ConfigReader,
  missing: Set<string>,
): RuntimeMount | undefined {
  const volume = textAt(spec, "name") ?? "";
  if (spec["disk"] !== undefined) {
    const storage = ["disk", "template", "spec", "resources", "requests", "storage"];
    const sizeBytes = parseQuantity(valueAt(spec, storage)) ?? defaultDiskBytes;
    return { kind: "disk", volume, path, sizeBytes };
  }
  const kind = spec["secret"] === undefined ? "ConfigMap" : "Secret";
  const source = spec[kind === "Secret" ? "secret" : "configMap"];
  const name = textAt(source, kind === "Secret" ? "secretName" : "name") ?? "";
  const data = read(kind, name);
  if (data === undefined && valueAt(source, ["optional"]) !== true) {
    missing.add(`${kind} "${name}"`);
    return undefined;
  }
  const mode = numberAt(source, "defaultMode") ?? defaultMode;
  return { kind: "files", volume, path, files: { mode, contents: Object.fromEntries(data ?? []) } };
}
