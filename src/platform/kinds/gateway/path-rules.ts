import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import type { Json } from "../../../kube-server/api/object.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";

/** What a path must not contain: a proxy and a backend could read it differently. */
const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F", "#"] as const;
const forbiddenEnds = ["/..", "/."] as const;
const pathCharacters = "^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$";
const pathPattern = new RegExp(pathCharacters, "u");

const inTypes = "when type one of ['Exact', 'PathPrefix']";

/** Checks a match's `path`, with the words of the Gateway API. */
export function checkPathMatch(match: Json | undefined, path: string, faults: FaultList): void {
  const type = fieldAt(match, ["type"]);
  const value = fieldAt(match, ["value"]);
  if (type === "RegularExpression") {
    faults.add(unsupportedValue(`${path}.type`, type, ["Exact", "PathPrefix"]));
    return;
  }
  if (typeof value !== "string") return;
  for (const why of pathFaults(value)) faults.add(invalidValue(path, "object", why));
}

function pathFaults(value: string): string[] {
  const faults: string[] = [];
  if (!value.startsWith("/")) {
    faults.push(`value must be an absolute path and start with '/' ${inTypes}`);
  }
  for (const part of forbiddenParts) {
    if (value.includes(part)) faults.push(`must not contain '${part}' ${inTypes}`);
  }
  for (const end of forbiddenEnds) {
    if (value.endsWith(end)) faults.push(`must not end with '${end}' ${inTypes}`);
  }
  if (!pathPattern.test(value)) {
    const types = "for types ['Exact', 'PathPrefix']";
    faults.push(`must only contain valid characters (matching ${pathCharacters}) ${types}`);
  }
  return faults;
}

const modifierFields = {
  ReplaceFullPath: "replaceFullPath",
  ReplacePrefixMatch: "replacePrefixMatch",
} as const;

/** Checks the `path` of a redirect or a rewrite. */
export function checkPathModifier(modifier: Json | undefined, path: string, faults: FaultList): void {
  if (modifier === undefined) return;
  const type = fieldAt(modifier, ["type"]);
  for (const [name, field] of Object.entries(modifierFields)) {
    const value = fieldAt(modifier, [field]);
    if (type === name && value === undefined) {
      faults.add(invalidValue(path, "object", `${field} must be specified when type is set to '${name}'`));
    } else if (type !== name && value !== undefined) {
      faults.add(invalidValue(path, "object", `type must be '${name}' when ${field} is set`));
    }
    if (typeof value !== "string" || value === "") continue;
    const place = `${path}.${field}`;
    if (!value.startsWith("/")) faults.add(invalidValue(place, value, "must start with '/'"));
    else if (!pathPattern.test(value)) {
      faults.add(invalidValue(place, value, "must have the characters of a URL's path only (RFC 3986)"));
    }
  }
}
