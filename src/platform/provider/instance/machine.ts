import { isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { PlaneObject } from "../../client/api/reflector-step.ts";
import { annotationOf, numberAt, objectsAt, textAt } from "../plane/plane-object.ts";
import type { MachineVolume, OpenPort, RuntimeContainer, RuntimeMachine } from "../runtime/runtime.ts";
import type { ConfigReader } from "./environment.ts";
import { mountOf } from "./mounts.ts";
import { parseQuantity } from "./quantity.ts";

/** The virtual machine of an Instance's spec; undefined for a sandbox. */
export function machineIn(instance: PlaneObject): Record<string, unknown> | undefined {
  const machine = valueAt(instance, ["spec", "runtime", "virtualMachine"]);
  return isObject(machine) ? machine : undefined;
}

/**
 * The virtual machine of an Instance, as its only container.
 *
 * @param missing collects what is not there yet
 */
export function machineOf(
  instance: PlaneObject,
  groupDomain: string,
  read: ConfigReader,
  missing: Set<string>,
): RuntimeContainer | undefined {
  const spec = machineIn(instance);
  if (spec === undefined) return undefined;
  const volumes = new Map(
    objectsAt(instance, "spec", "volumes").map((volume, index) => [volume["name"], { volume, index }]),
  );
  const machine: RuntimeMachine = {
    volumes: objectsAt(spec, "volumeAttachments").flatMap((attachment) => {
      const found = volumes.get(attachment["name"]);
      if (found === undefined) return [];
      return volumeOf(found.volume, found.index, textAt(attachment, "mountPath"), read, missing) ?? [];
    }),
    users: usersOf(annotationOf(instance, `compute.${groupDomain}/ssh-keys`) ?? ""),
    ports: objectsAt(spec, "ports").flatMap((port) => {
      const protocol = (textAt(port, "protocol") ?? "TCP") as OpenPort["protocol"];
      const number = numberAt(port, "port");
      return number === undefined ? [] : { protocol, port: number };
    }),
  };
  return { name: "machine", image: "", env: {}, mounts: [], machine };
}

function volumeOf(
  volume: Record<string, unknown>,
  index: number,
  path: string | undefined,
  read: ConfigReader,
  missing: Set<string>,
): MachineVolume | undefined {
  if (volume["disk"] !== undefined) {
    const template = ["disk", "template", "spec"];
    return {
      kind: "disk",
      device: deviceName(textAt(volume, "disk", "deviceName") ?? `persistent-disk-${index}`),
      path,
      sizeBytes: parseQuantity(valueAt(volume, [...template, "resources", "requests", "storage"])),
      image: textAt(volume, ...template, "populator", "image", "name"),
      hasFilesystem: valueAt(volume, [...template, "populator", "filesystem"]) !== undefined,
    };
  }
  const mount = mountOf(volume, path ?? "", read, missing);
  if (mount?.kind !== "files") return undefined;
  return { kind: "files", device: deviceName(mount.volume), path, files: mount.files };
}

/** As much of a name as a virtio disk can have. */
function deviceName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9._-]/g, "-").slice(0, 20);
}

/** Lines of `<user>:<public key>`, as admission has checked them. */
function usersOf(text: string): Map<string, string[]> {
  const users = new Map<string, string[]>();
  for (const line of text.trim().split("\n")) {
    const colon = line.indexOf(":");
    const user = line.slice(0, colon).trim();
    const key = line.slice(colon + 1).trim();
    if (colon > 0 && user !== "" && key !== "") users.set(user, [...(users.get(user) ?? []), key]);
  }
  return users;
}
