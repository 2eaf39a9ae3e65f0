import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, isSet, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json, JsonObject } from "../../../kube-server/api/object.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  notFoundValue,
  requiredValue,
} from "../../../kube-server/api/validate.ts";
import { checkName } from "../references.ts";
import { checkDisk } from "./disk-rules.ts";

const sources = ["disk", "configMap", "secret"] as const;

/** The volumes of an instance, by name, and which of them are attached. */
export class Volumes {
  readonly #path: string;
  readonly #volumes = new Map<Json, { readonly index: number; readonly volume: JsonObject }>();
  readonly #attached = new Set<Json>();

  /** @param path of the list of volumes */
  constructor(path: string) {
    this.#path = path;
  }

  add(index: number, volume: JsonObject): void {
    this.#volumes.set(volume["name"] ?? "", { index, volume });
  }

  has(name: Json): boolean {
    return this.#volumes.has(name);
  }

  attach(name: Json, path: string, faults: FaultList): void {
    if (!this.has(name)) faults.add(notFoundValue(path, name));
    this.#attached.add(name);
  }

  isBootable(name: Json): boolean {
    return this.#populator(name, ["image"]) !== undefined;
  }

  /** Only files can be mounted. */
  checkMountable(name: Json, path: string, faults: FaultList): void {
    const volume = this.#volumes.get(name)?.volume;
    if (volume?.["disk"] === undefined || this.#populator(name, []) !== undefined) return;
    faults.add(notFoundValue(path, "unable to determine if volume's disk has a filesystem"));
  }

  /** Reports the volumes that nothing has attached. */
  checkAttached(faults: FaultList): void {
    for (const [name, { index }] of this.#volumes) {
      if (faults.isFull) return;
      if (name === "" || this.#attached.has(name)) continue;
      faults.add(requiredValue(`${this.#path}[${index}].name`, "volume must be attached at least 1 time"));
    }
  }

  #populator(name: Json, path: readonly string[]): Json | undefined {
    return fieldAt(this.#volumes.get(name)?.volume, ["disk", "template", "spec", "populator", ...path]);
  }
}

/** Checks `volumes` of an instance. */
export function checkVolumes(list: Json | undefined, path: string, faults: FaultList): Volumes {
  const volumes = new Volumes(path);
  const devices = new Set<Json>();
  for (const [index, volume] of objectsIn(list).entries()) {
    if (faults.isFull) return volumes;
    volumes.add(index, volume);
    const place = `${path}[${index}]`;
    checkName(volume["name"], `${place}.name`, "label", faults);
    const [first, second] = sources.filter((source) => volume[source] !== undefined);
    if (first === undefined) faults.add(requiredValue(place, "must specify a volume source"));
    if (second !== undefined) {
      faults.add(forbiddenValue(`${place}.${second}`, "may not specify more than 1 volume source"));
    }
    if (first === "disk") {
      const device = fieldAt(volume, ["disk", "deviceName"]) ?? `persistent-disk-${index}`;
      if (devices.has(device)) faults.add(duplicateValue(`${place}.disk.deviceName`, device));
      devices.add(device);
      checkDisk(volume["disk"], `${place}.disk`, faults);
    } else if (first !== undefined) {
      checkFiles(volume[first], first === "secret" ? "secretName" : "name", `${place}.${first}`, faults);
    }
  }
  return volumes;
}

/** Checks a volume with the values of a ConfigMap or Secret. */
function checkFiles(source: Json | undefined, nameField: string, path: string, faults: FaultList): void {
  checkName(fieldAt(source, [nameField]), `${path}.${nameField}`, "subdomain", faults);
  const mode = fieldAt(source, ["defaultMode"]);
  if (typeof mode === "number" && (mode < 0 || mode > 0o777)) {
    const why = "must be a number between 0 and 0777 (octal), both inclusive";
    faults.add(invalidValue(`${path}.defaultMode`, mode, why));
  }
  if (isSet(fieldAt(source, ["items"]))) faults.add(forbiddenValue(`${path}.items`, "not implemented"));
}
