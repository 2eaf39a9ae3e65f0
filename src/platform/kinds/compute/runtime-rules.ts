import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, isSet, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import {
  duplicateValue,
  forbiddenValue,
  invalidValue,
  requiredValue,
} from "../../../kube-server/api/validate.ts";
import { imageReference } from "../../provider/engine/image-reference.ts";
import { checkName } from "../references.ts";
import { checkEnv } from "./env-rules.ts";
import { instanceTypes } from "./instance-resources.ts";
import { checkPortName, checkPortNumber } from "./port-rules.ts";
import { checkProbes } from "./probe-rules.ts";
import type { Volumes } from "./volume-rules.ts";

const typeNames = Object.keys(instanceTypes);

/** Checks `runtime` of an instance, and notes the volumes that it attaches. */
export function checkRuntime(
  runtime: Json | undefined,
  path: string,
  volumes: Volumes,
  faults: FaultList,
): void {
  const sandbox = fieldAt(runtime, ["sandbox"]);
  const machine = fieldAt(runtime, ["virtualMachine"]);
  const instanceType = fieldAt(runtime, ["resources", "instanceType"]);
  if (typeof instanceType !== "string" || !typeNames.includes(instanceType)) {
    faults.add(unsupportedValue(`${path}.resources.instanceType`, instanceType ?? null, typeNames));
  }
  if (isSet(fieldAt(runtime, ["resources", "requests"]))) {
    faults.add(forbiddenValue(`${path}.resources.requests`, "not implemented"));
  }
  if (sandbox === undefined && machine === undefined) {
    faults.add(requiredValue(path, "must specify a runtime type"));
  }
  if (sandbox !== undefined) checkSandbox(sandbox, `${path}.sandbox`, volumes, faults);
  if (machine === undefined) return;
  if (sandbox !== undefined) {
    faults.add(forbiddenValue(`${path}.virtualMachine`, "may not specify more than 1 runtime type"));
  } else {
    checkVirtualMachine(machine, `${path}.virtualMachine`, volumes, faults);
  }
}

function checkSandbox(sandbox: Json, path: string, volumes: Volumes, faults: FaultList): void {
  for (const [index, container] of objectsIn(fieldAt(sandbox, ["containers"])).entries()) {
    if (faults.isFull) return;
    const place = `${path}.containers[${index}]`;
    checkName(container["name"], `${place}.name`, "label", faults);
    const image = container["image"];
    if (image === "") faults.add(requiredValue(`${place}.image`));
    else if (typeof image === "string" && imageReference(image) === undefined) {
      faults.add(
        invalidValue(
          `${place}.image`,
          image.slice(0, 512),
          "must be an image's name, such as registry/name:tag",
        ),
      );
    }
    checkEnv(container["env"], `${place}.env`, faults);
    if (container["resources"] !== undefined) {
      faults.add(forbiddenValue(`${place}.resources`, "not implemented"));
    }
    checkPorts(container["ports"], `${place}.ports`, faults);
    checkProbes(container, place, faults);
    checkAttachments(container["volumeAttachments"], `${place}.volumeAttachments`, volumes, faults);
  }
  for (const [index, secret] of objectsIn(fieldAt(sandbox, ["imagePullSecrets"])).entries()) {
    if (faults.isFull) return;
    checkName(secret["name"], `${path}.imagePullSecrets[${index}].name`, "subdomain", faults);
  }
}

function checkVirtualMachine(machine: Json, path: string, volumes: Volumes, faults: FaultList): void {
  const attachments = fieldAt(machine, ["volumeAttachments"]);
  const place = `${path}.volumeAttachments`;
  const boot = fieldAt(attachments, [0, "name"]);
  if (boot === undefined) {
    faults.add(requiredValue(place, "must provide at least one volume attachment for the boot volume"));
  } else {
    checkAttachments(attachments, place, volumes, faults);
    if (volumes.has(boot) && !volumes.isBootable(boot)) {
      faults.add(requiredValue(`${place}[0].name`, "first volume attachment must be a bootable volume"));
    }
  }
  checkPorts(fieldAt(machine, ["ports"]), `${path}.ports`, faults);
}

/** Ports of a container or machine; their names are unique by the schema. */
function checkPorts(ports: Json | undefined, path: string, faults: FaultList): void {
  for (const [index, { name, port }] of objectsIn(ports).entries()) {
    if (faults.isFull) return;
    checkPortName(name, `${path}[${index}].name`, faults);
    checkPortNumber(port, `${path}[${index}].port`, faults);
  }
}

function checkAttachments(list: Json | undefined, path: string, volumes: Volumes, faults: FaultList): void {
  const names = new Set<Json>();
  const paths = new Set<string>();
  for (const [index, { name = "", mountPath }] of objectsIn(list).entries()) {
    if (faults.isFull) return;
    const place = `${path}[${index}]`;
    if (names.has(name)) faults.add(duplicateValue(`${place}.name`, name));
    names.add(name);
    volumes.attach(name, `${place}.name`, faults);
    if (typeof mountPath !== "string") continue;
    checkMountPath(mountPath, paths, `${place}.mountPath`, faults);
    volumes.checkMountable(name, `${place}.mountPath`, faults);
  }
}

function checkMountPath(text: string, known: Set<string>, path: string, faults: FaultList): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const isPlain = /^\/[^:\x00-\x1f\x7f]*$/.test(text) && text.length <= maxPathLength;
  if (!isPlain) faults.add(invalidValue(path, text, "must be an absolute path without ':'"));
  else if (/^\/+$/.test(text)) faults.add(invalidValue(path, text, "must not be the root"));
  else if (text.split("/").includes("..")) faults.add(invalidValue(path, text, "must not contain '..'"));
  else if (known.has(text)) faults.add(invalidValue(path, text, "must be unique"));
  known.add(text);
}

/** Of Linux, with the NUL at the end. */
const maxPathLength = 4_095;
