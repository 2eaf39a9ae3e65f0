import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import {
  maxAnnotationBytes,
  validateAnnotations,
  validateLabels,
} from "../../../kube-server/api/metadata.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../kube-server/api/object.ts";
import { checkNetworkInterfaces } from "./interface-rules.ts";
import { checkRuntime } from "./runtime-rules.ts";
import { checkSshKeys } from "./ssh-keys.ts";
import { checkVolumes } from "./volume-rules.ts";

/** Annotation with the users of virtual machines: lines of `<user>:<SSH public key> <comment>`. */
export function sshKeysAnnotation(groupDomain: string): string {
  return `compute.${groupDomain}/ssh-keys`;
}

/** The rules of a template besides its schema, in time that is linear in its size. */
export function checkTemplate(
  template: Json | undefined,
  path: string,
  groupDomain: string,
  faults: FaultList,
): void {
  const metadata = fieldAt(template, ["metadata"]);
  validateLabels(textsIn(fieldAt(metadata, ["labels"])), `${path}.metadata.labels`, faults);
  const annotations = textsIn(fieldAt(metadata, ["annotations"]));
  validateAnnotations(annotations, `${path}.metadata.annotations`, faults);
  const spec = fieldAt(template, ["spec"]);
  checkInstance(spec, `${path}.spec`, annotations, `${path}.metadata.annotations`, groupDomain, faults);
}

/** The rules of a template's spec, which is also that of an Instance. */
export function checkInstance(
  spec: Json | undefined,
  path: string,
  annotations: Readonly<Record<string, string>>,
  annotationsPath: string,
  groupDomain: string,
  faults: FaultList,
): void {
  const object: JsonObject = isJsonObject(spec) ? spec : {};
  if (object["runtime"] !== undefined && fieldAt(object, ["runtime", "virtualMachine"]) !== undefined) {
    const key = sshKeysAnnotation(groupDomain);
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    // Annotations that are too long are refused anyway.
    if ((text ?? "").length <= maxAnnotationBytes) checkSshKeys(text, `${annotationsPath}[${key}]`, faults);
  }
  checkNetworkInterfaces(object["networkInterfaces"], `${path}.networkInterfaces`, faults);
  const volumes = checkVolumes(object["volumes"], `${path}.volumes`, faults);
  checkRuntime(object["runtime"], `${path}.runtime`, volumes, faults);
  volumes.checkAttached(faults);
}

function textsIn(map: Json | undefined): Record<string, string> {
  return isJsonObject(map) ? (map as Record<string, string>) : {};
}
