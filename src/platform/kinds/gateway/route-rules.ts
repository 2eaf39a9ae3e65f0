import type { FaultList } from "../../../kube-server/api/fault-list.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json, JsonObject } from "../../../kube-server/api/object.ts";
import { unsupportedValue } from "../../../kube-server/api/status.ts";
import { invalidValue } from "../../../kube-server/api/validate.ts";
import {
  checkFilters,
  checkHeaderValue,
  checkQueryValue,
  routeRuleFilters,
  ruleFilters,
} from "./filter-rules.ts";
import { checkPathMatch } from "./path-rules.ts";

/** Matches of all rules together. */
const maxMatchesOfRules = 128;
const tooManyMatches =
  "While 16 rules and 64 matches per rule are allowed, the total number of matches across all rules in a" +
  " route must be less than 128";

/**
 * Checks the rules of an HTTPRoute or an HTTPProxy, but for their backends.
 *
 * @param backends the field that holds them: `backendRefs` or `backends`
 */
export function checkRouteRules(
  list: Json | undefined,
  path: string,
  backends: "backendRefs" | "backends",
  faults: FaultList,
): void {
  const rules = objectsIn(list);
  const names = rules.flatMap(({ name }) => name ?? []);
  if (new Set(names).size < names.length) {
    faults.add(invalidValue(path, "array", "Rule name must be unique within the route"));
  }
  const matches = rules.reduce((sum, rule) => sum + objectsIn(rule["matches"]).length, 0);
  if (matches > maxMatchesOfRules) {
    faults.add(invalidValue(path, "array", tooManyMatches));
  }
  for (const [index, rule] of rules.entries()) {
    if (faults.isFull) return;
    checkRule(rule, `${path}[${index}]`, backends, faults);
  }
}

function checkRule(
  rule: JsonObject,
  path: string,
  backends: "backendRefs" | "backends",
  faults: FaultList,
): void {
  const filters = objectsIn(rule["filters"]);
  const isRedirect = filters.some(({ type }) => type === "RequestRedirect");
  if (isRedirect && objectsIn(rule[backends]).length > 0) {
    const why = `RequestRedirect filter must not be used together with ${backends}`;
    faults.add(invalidValue(path, "object", why));
  }
  for (const [type, field] of prefixModifiers) {
    const isPrefix = filters.some(
      (filter) => fieldAt(filter, [field, "path", "type"]) === "ReplacePrefixMatch",
    );
    if (!isPrefix || hasOnePrefix(rule["matches"])) continue;
    const use = `When using ${type} filter with path.replacePrefixMatch`;
    const why = `${use}, exactly one PathPrefix match must be specified`;
    faults.add(invalidValue(path, "object", why));
  }
  for (const [index, match] of objectsIn(rule["matches"]).entries()) {
    if (faults.isFull) return;
    checkMatch(match, `${path}.matches[${index}]`, faults);
  }
  const supported = backends === "backendRefs" ? routeRuleFilters : ruleFilters;
  checkFilters(rule["filters"], supported, `${path}.filters`, faults);
}

const prefixModifiers = [
  ["RequestRedirect", "requestRedirect"],
  ["URLRewrite", "urlRewrite"],
] as const;

function hasOnePrefix(matches: Json | undefined): boolean {
  const [first, ...others] = objectsIn(matches);
  return others.length === 0 && fieldAt(first, ["path", "type"]) === "PathPrefix";
}

function checkMatch(match: JsonObject, path: string, faults: FaultList): void {
  checkPathMatch(match["path"], `${path}.path`, faults);
  for (const list of ["headers", "queryParams"] as const) {
    for (const [index, { type, value }] of objectsIn(match[list]).entries()) {
      if (faults.isFull) return;
      const place = `${path}.${list}[${index}]`;
      if (type === "RegularExpression") faults.add(unsupportedValue(`${place}.type`, type, ["Exact"]));
      const check = list === "headers" ? checkHeaderValue : checkQueryValue;
      check(value, `${place}.value`, faults);
    }
  }
}
