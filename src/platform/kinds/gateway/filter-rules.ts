import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type Json, type JsonObject, stringList } from "../../../kube-server/api/object.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { invalidValue, requiredValue } from "../../../kube-server/api/validate.ts";
import { checkPathModifier } from "./path-rules.ts";
import { type FilterType, filterFields } from "./route-schema.ts";

/** The filters that rules may have, and those that a rule's backends may have. */
export const ruleFilters = [
  "RequestHeaderModifier",
  "RequestRedirect",
  "ResponseHeaderModifier",
  "URLRewrite",
  "CORS",
] as const satisfies readonly FilterType[];
/** `RequestMirror` names an EndpointSlice, as only an HTTPRoute does. */
export const routeRuleFilters = [...ruleFilters, "RequestMirror"] as const satisfies readonly FilterType[];
export const backendFilters = [
  "RequestHeaderModifier",
  "ResponseHeaderModifier",
] as const satisfies readonly FilterType[];

/** Each request becomes so many more. */
const maxMirrors = 4;

/** Checks the filters of a rule or a backend: each on its own, then together. */
export function checkFilters(
  list: Json | undefined,
  supported: readonly FilterType[],
  path: string,
  faults: FaultList,
): void {
  const filters = objectsIn(list);
  for (const [index, filter] of filters.entries()) {
    if (faults.isFull) return;
    checkFilter(filter, supported, `${path}[${index}]`, faults);
  }
  const types = filters.map(({ type }) => type);
  if (types.includes("RequestRedirect") && types.includes("URLRewrite")) {
    const why = "May specify either requestRedirect or urlRewrite, but not both";
    faults.add(invalidValue(path, "array", why));
  }
  const mirrors = types.filter((type) => type === "RequestMirror").length;
  if (mirrors > maxMirrors) {
    faults.add(invalidValue(path, "array", `must have at most ${maxMirrors} RequestMirror filters`));
  }
  for (const type of supported) {
    if (type === "RequestMirror") continue;
    if (types.indexOf(type) === types.lastIndexOf(type)) continue;
    faults.add(invalidValue(path, "array", `${type} filter cannot be repeated`));
  }
}

function checkFilter(
  filter: JsonObject,
  supported: readonly FilterType[],
  path: string,
  faults: FaultList,
): void {
  const { type } = filter;
  if (!supported.some((each) => each === type)) {
    faults.add(unsupportedValue(`${path}.type`, type, supported));
    return;
  }
  for (const [name, field] of Object.entries(filterFields)) {
    if (name === type && filter[field] === undefined) {
      const why = `filter.${field} must be specified for ${name} filter.type`;
      faults.add(invalidValue(path, "object", why));
    } else if (name !== type && filter[field] !== undefined) {
      const why = `filter.${field} must be nil if the filter.type is not ${name}`;
      faults.add(invalidValue(path, "object", why));
    }
  }
  for (const field of ["requestHeaderModifier", "responseHeaderModifier"] as const) {
    checkHeaderModifier(filter[field], ownHeaders[field], `${path}.${field}`, faults);
  }
  for (const field of ["allowOrigins", "allowMethods", "allowHeaders", "exposeHeaders"]) {
    const list = stringList(fieldAt(filter, ["cors", field]));
    if (list.length < 2 || !list.includes("*")) continue;
    faults.add(invalidValue(`${path}.cors.${field}`, "array", "cannot contain '*' alongside other values"));
  }
  checkMirror(filter["requestMirror"], `${path}.requestMirror`, faults);
  for (const field of ["requestRedirect", "urlRewrite"] as const) {
    checkPathModifier(fieldAt(filter, [field, "path"]), `${path}.${field}.path`, faults);
  }
}

function checkMirror(mirror: Json | undefined, path: string, faults: FaultList): void {
  if (mirror === undefined) return;
  if (fieldAt(mirror, ["backendRef", "port"]) === undefined) {
    faults.add(requiredValue(`${path}.backendRef.port`));
  }
  const fraction = fieldAt(mirror, ["fraction"]);
  if (fraction === undefined) return;
  if (fieldAt(mirror, ["percent"]) !== undefined) {
    faults.add(invalidValue(path, "object", "Only one of percent or fraction may be specified"));
  }
  const [numerator, denominator] = [fieldAt(fraction, ["numerator"]), fieldAt(fraction, ["denominator"])];
  if (Number(numerator) > Number(denominator)) {
    const why = "numerator must be less than or equal to denominator";
    faults.add(invalidValue(`${path}.fraction`, "object", why));
  }
}

/** Headers of one connection (RFC 9110, section 7.6.1), and those that say where a message goes and ends. */
const headersOfConnections = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"],
  ...["te", "trailer", "transfer-encoding", "upgrade", "host", "content-length"],
]);

/**
 * Headers that a filter cannot change, by its field. A request's Via is how the gateway notices that it comes
 * back: without it, one request circles until no connection is left.
 */
const ownHeaders = {
  requestHeaderModifier: new Set([...headersOfConnections, "via"]),
  responseHeaderModifier: headersOfConnections,
} as const;

const headerName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/;

function checkHeaderModifier(
  modifier: Json | undefined,
  own: ReadonlySet<string>,
  path: string,
  faults: FaultList,
): void {
  for (const list of ["set", "add"] as const) {
    for (const [index, { name, value }] of objectsIn(fieldAt(modifier, [list])).entries()) {
      if (faults.isFull) return;
      const place = `${path}.${list}[${index}]`;
      checkHeaderName(name, own, `${place}.name`, faults);
      checkHeaderValue(value, `${place}.value`, faults);
    }
  }
  const remove = fieldAt(modifier, ["remove"]);
  for (const [index, name] of (Array.isArray(remove) ? remove : []).entries()) {
    if (faults.isFull) return;
    checkHeaderName(name, own, `${path}.remove[${index}]`, faults);
  }
}

function checkHeaderName(
  name: Json | undefined,
  own: ReadonlySet<string>,
  path: string,
  faults: FaultList,
): void {
  if (typeof name !== "string") return;
  if (!headerName.test(name)) faults.add(invalidValue(path, name, "must be the name of a header"));
  else if (own.has(name.toLowerCase())) {
    faults.add(invalidValue(path, name, "is set by the gateway itself and cannot be changed"));
  }
}

/** Checks that a text can be a header's value: no control characters but tabs (RFC 9110, section 5.5). */
export function checkHeaderValue(value: Json | undefined, path: string, faults: FaultList): void {
  if (typeof value !== "string" || isHeaderValue(value)) return;
  const why = "must have no control characters, and no white space at its ends";
  faults.add(invalidValue(path, value, why));
}

function isHeaderValue(value: string): boolean {
  return !controlCharacter.test(value) && value === value.trim();
}

/** Checks that a text can be compared with a query parameter: the gateway's configuration has one line for it. */
export function checkQueryValue(value: Json | undefined, path: string, faults: FaultList): void {
  if (typeof value !== "string" || !controlCharacter.test(value)) return;
  faults.add(invalidValue(path, value, "must have no control characters"));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f]/;
