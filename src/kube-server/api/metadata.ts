import { FaultList, maxFaults } from "./fault-list.ts";
import type { KindDefinition } from "./kind.ts";
import { identityText, type KubeObject } from "./object.ts";
import { isLabelKey, isLabelValue } from "./selectors.ts";
import type { FieldError } from "./status.ts";
import { invalidValue } from "./validate.ts";

const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${label}(?:\\.${label})*$`);

const labelHelp =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const subdomainHelp =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Garbage collector finalizers, which decide about the dependents. At most one may be set. */
const deletionFinalizers = ["orphan", "foregroundDeletion"];

/** Total size of an object's annotations, keys and values. */
export const maxAnnotationBytes = 256 * 1024;

type NameRule = KindDefinition["nameRule"];

/** Length of the names of a kind, in characters. */
export function maxNameLength(kind: Pick<KindDefinition, "nameRule" | "maxNameLength">): number {
  return kind.maxNameLength ?? ruleLength(kind.nameRule);
}

function ruleLength(rule: NameRule): number {
  return rule === "label" ? 63 : 253;
}

/** Checks a name by RFC 1123. @returns the reason it is invalid, or undefined */
export function nameFault(
  name: string,
  rule: NameRule,
  maxLength: number = ruleLength(rule),
): string | undefined {
  if (name.length > maxLength) return `must be no more than ${maxLength} characters`;
  const pattern = rule === "label" ? labelPattern : subdomainPattern;
  if (pattern.test(name)) return undefined;
  return rule === "label" ? labelHelp : subdomainHelp;
}

/** Of a custom kind, only the length counts: the generated name is checked. */
function prefixFaultOf(prefix: string, { builtIn, nameRule }: KindDefinition): string | undefined {
  if (!builtIn && prefix.length <= ruleLength(nameRule)) return undefined;
  // A trailing hyphen is valid, because the generated suffix follows it.
  return nameFault(prefix.replace(/(.)-$/, "$1a"), nameRule);
}

/** Kubernetes' rules for `metadata`, besides the types of its fields. @returns the first 100 faults */
export function validateMetadata(object: KubeObject, kind: KindDefinition): FieldError[] {
  const { metadata } = object;
  const faults = new FaultList();
  const fault = nameFault(metadata.name ?? "", kind.nameRule, maxNameLength(kind));
  if (fault !== undefined) faults.add(invalidValue("metadata.name", metadata.name ?? "", fault));
  const prefix = metadata.generateName ?? "";
  const prefixFault = prefix === "" ? undefined : prefixFaultOf(prefix, kind);
  if (prefixFault !== undefined) faults.add(invalidValue("metadata.generateName", prefix, prefixFault));
  validateLabels(metadata.labels ?? {}, "metadata.labels", faults);
  validateAnnotations(metadata.annotations ?? {}, "metadata.annotations", faults);
  for (const finalizer of metadata.finalizers ?? []) {
    for (const why of labelKeyFaults(finalizer)) {
      faults.add(invalidValue("metadata.finalizers", finalizer, why));
    }
  }
  if (deletionFinalizers.every((each) => metadata.finalizers?.includes(each) === true)) {
    const why = `finalizer ${deletionFinalizers.join(" and ")} cannot be both set`;
    faults.add(invalidValue("metadata.finalizers", metadata.finalizers ?? [], why));
  }
  validateOwners(object, faults);
  return faults.errors;
}

const namePattern = /^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const qualifiedNameHelp =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const maxNamePartLength = 63;
const maxPrefixLength = 253;

/** Why a text is no key of labels, annotations or finalizers; worded as in Kubernetes. */
function labelKeyFaults(text: string): string[] {
  if (isLabelKey(text)) return [];
  const [first = "", second, ...more] = text.split("/", 3);
  if (more.length > 0) {
    const prefix = "an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    return [`a valid label key ${qualifiedNameHelp} with ${prefix}`];
  }
  const name = second ?? first;
  const faults: string[] = [];
  if (second !== undefined) {
    if (first === "") faults.push("prefix part must be non-empty");
    else if (first.length > maxPrefixLength) {
      faults.push(`prefix part must be no more than ${maxPrefixLength} bytes`);
    }
    if (first !== "" && !subdomainPattern.test(first)) faults.push(`prefix part ${subdomainHelp}`);
  }
  if (name === "") faults.push("name part must be non-empty");
  else if (name.length > maxNamePartLength) {
    faults.push(`name part must be no more than ${maxNamePartLength} bytes`);
  }
  if (!namePattern.test(name)) faults.push(`name part ${qualifiedNameHelp}`);
  return faults;
}

const labelValuePattern = /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

function labelValueFaults(text: string): string[] {
  if (isLabelValue(text)) return [];
  const faults = labelValuePattern.test(text) ? [] : [labelValueHelp];
  if (text.length > maxNamePartLength) faults.unshift(`must be no more than ${maxNamePartLength} bytes`);
  return faults;
}

const labelValueHelp =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** @param path `metadata.labels`, or that of a template */
export function validateLabels(
  labels: Readonly<Record<string, string>>,
  path: string,
  faults: FaultList,
): void {
  for (const [key, value] of Object.entries(labels)) {
    if (faults.isFull) return;
    for (const why of labelKeyFaults(key)) faults.add(invalidValue(path, key, why));
    for (const why of labelValueFaults(value)) faults.add(invalidValue(path, value, why));
  }
}

/** @param path `metadata.annotations`, or that of a template */
export function validateAnnotations(
  annotations: Readonly<Record<string, string>>,
  path: string,
  faults: FaultList,
): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
    if (faults.isFull) continue;
    for (const why of labelKeyFaults(key.toLowerCase())) faults.add(invalidValue(path, key, why));
  }
  if (bytes > maxAnnotationBytes) {
    const message = `Too long: may not be more than ${maxAnnotationBytes} bytes`;
    faults.add({ reason: "FieldValueTooLong", field: path, message });
  }
}

function validateOwners(object: KubeObject, faults: FaultList): void {
  let controllers = 0;
  const path = "metadata.ownerReferences";
  for (const owner of object.metadata.ownerReferences ?? []) {
    if (faults.isFull) return;
    const { apiVersion = "", kind } = owner;
    if (typeof apiVersion !== "string" || apiVersion === "" || apiVersion.split("/", 3).length > 2) {
      faults.add(invalidValue(`${path}.apiVersion`, apiVersion, "version must not be empty"));
    }
    for (const field of ["kind", "name", "uid"]) {
      const value = owner[field] ?? "";
      if (typeof value !== "string" || value === "")
        faults.add(invalidValue(`${path}.${field}`, value, "must not be empty"));
    }
    if (apiVersion === "v1" && kind === "Event") {
      faults.add(invalidValue(path, owner, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (owner["controller"] === true) controllers++;
  }
  if (controllers > 1) {
    const why = "Only one reference can have Controller set to true";
    faults.add(invalidValue("metadata.ownerReferences", "", why));
  }
}

/**
 * Removes duplicate owners, in place.
 *
 * @param old before the change: its finalizers were warned about
 * @returns warnings about the metadata, worded as in Kubernetes
 */
export function tidyMetadata({ metadata }: KubeObject, old?: KubeObject): string[] {
  const warnings: string[] = [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  const owners = (metadata.ownerReferences ?? []).filter((owner) => {
    const identity = identityText(owner);
    if (seen.has(identity)) repeated.add(String(owner["uid"]));
    return !seen.has(identity) && seen.add(identity);
  });
  if (repeated.size > 0) {
    metadata.ownerReferences = owners;
    const uids = [...repeated].slice(0, 10).join(", ");
    warnings.push(
      `.metadata.ownerReferences contains duplicate entries, which are dropped; please fix your requests; duplicate UID(s) observed: ${uids}`,
    );
  }
  for (const finalizer of metadata.finalizers ?? []) {
    if (finalizer.includes("/") || deletionFinalizers.includes(finalizer)) continue;
    if (old?.metadata.finalizers?.includes(finalizer) === true) continue;
    const why =
      "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers";
    warnings.push(`metadata.finalizers: ${JSON.stringify(finalizer)}: ${why}`);
  }
  return warnings.slice(0, maxFaults);
}

/** Uids of an object's owners. */
export function ownerUids(object: KubeObject | undefined): string[] {
  const uids = (object?.metadata.ownerReferences ?? []).map((owner) => String(owner["uid"] ?? ""));
  return [...new Set(uids)];
}

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/**
 * Appends five characters to a generateName, as in Kubernetes: no vowels, so no words. @param random in [0,
 * 1)
 */
export function generatedName(prefix: string, maxLength: number, random: () => number): string {
  let suffix = "";
  for (let i = 0; i < 5; i++) suffix += suffixAlphabet[Math.floor(random() * suffixAlphabet.length)] ?? "b";
  return prefix.slice(0, maxLength - suffix.length) + suffix;
}
