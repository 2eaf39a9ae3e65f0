import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import type { NewCondition } from "../../../kube-server/controllers/conditions.ts";
import { mirrorBackends, weightedBackends } from "../../kinds/gateway/http-route.ts";
import { programLimits } from "../../routing/program-limits.ts";
import type { RouteMatch } from "../../routing/route-program.ts";
import type { RouteHost } from "./listener-scopes.ts";
import { orderedMatches } from "./match-order.ts";

/**
 * What the routes of one gateway may have, all together: what is loaded stays small, however many there are.
 * HAProxy looks for each condition among all of its section, so the time that it needs grows with their
 * square. The controllers and each gateway write and parse a program as a whole. Each request has all names
 * looked for in its head, and passes all changes: the gateway's processor is everybody's.
 */
export const routeLimits = {
  ...programLimits,
  conditions: 2_000,
  names: 64,
  changes: 4_096,
  bytes: 2 ** 20,
} as const;

type Resource = keyof typeof routeLimits;

const refusals: Readonly<Record<Resource, readonly [reason: string, much: string]>> = {
  matches: ["TooManyMatches", `${routeLimits.matches} matches`],
  rules: ["TooManyRules", `${routeLimits.rules} rules and backends that share a rule's requests`],
  conditions: [
    "TooManyConditions",
    `${routeLimits.conditions} paths, methods, headers and query parameters in their matches`,
  ],
  names: [
    "TooManyNames",
    `${routeLimits.names} different names of headers and query parameters in their matches`,
  ],
  changes: ["TooManyChanges", `${routeLimits.changes} headers that filters set, add or remove`],
  bytes: ["TooLarge", `${routeLimits.bytes / 2 ** 20} MiB`],
};
const resources = Object.keys(refusals) as Resource[];

type MatchedHost = Pick<RouteHost, "host" | "except">;
const everyHost: MatchedHost = { host: undefined, except: [] };

/** What routes take of their gateway's limits, the oldest first. */
export class RouteBudget {
  readonly #used = Object.fromEntries(resources.map((each) => [each, 0])) as Record<Resource, number>;
  readonly #names = new Set<string>();

  /** Bytes of the routes that were taken. */
  get bytes(): number {
    return this.#used.bytes;
  }

  /** Counts a route for some hosts, unless it needs more than is left. @returns why it is refused, or undefined */
  take(route: KubeObject, hosts: readonly MatchedHost[] = [everyHost]): NewCondition | undefined {
    const names = matchedNames(route).filter((name) => !this.#names.has(name));
    const cost = { ...routeCost(route, hosts), names: names.length };
    const short = resources.find((each) => this.#used[each] + cost[each] > routeLimits[each]);
    if (short !== undefined) return refusal(short);
    for (const each of resources) this.#used[each] += cost[each];
    for (const name of names) this.#names.add(name);
    return undefined;
  }
}

/** Names of headers and query parameters that a route's matches compare, each once. */
function matchedNames(route: KubeObject): string[] {
  const names = orderedMatches([{ route, hosts: [undefined] }]).flatMap(({ match }) => [
    ...match.headers.map(({ name }) => `header ${name}`),
    ...match.queryParams.map(({ name }) => `query ${name}`),
  ]);
  return [...new Set(names)];
}

type Cost = Readonly<Record<Exclude<Resource, "names">, number>>;

function routeCost(route: KubeObject, hosts: readonly MatchedHost[]): Cost {
  const rules = objectsIn(fieldAt(route, ["spec", "rules"]));
  const matches = orderedMatches([{ route, hosts: hosts.map(({ host }) => host) }]);
  const hostConditions = hosts.reduce(
    (sum, { host, except }) => sum + (host === undefined ? 0 : 1) + except.length,
    0,
  );
  return {
    matches: matches.length,
    rules: rules.reduce((sum, rule) => sum + ruleCount(rule), 0),
    changes: rules.reduce((sum, rule) => sum + changeCount(rule), 0),
    conditions:
      matches.reduce((sum, { match }) => sum + conditionCount(match), 0) +
      hostConditions * (matches.length / Math.max(1, hosts.length)),
    bytes: jsonBytes(route["spec"] ?? null),
  };
}

/** What HAProxy has to compare for a match. */
export function conditionCount({ path, method, headers, queryParams }: RouteMatch): number {
  const paths = path.type === "PathPrefix" && path.value === "/" ? 0 : 1;
  // A name that URLs escape is looked for in both forms.
  const names = queryParams.map(({ name }) => (encodeURIComponent(name) === name ? 1 : 2));
  return names.reduce((sum, each) => sum + each, paths + (method === undefined ? 0 : 1) + headers.length);
}

/** Rules of the program that a route's rule becomes: each of several backends has one, too, and each mirror. */
export function ruleCount(rule: JsonObject): number {
  const backends = weightedBackends(rule).length;
  return 1 + (backends > 1 ? backends : 0) + mirrorBackends(rule).length;
}

/** Headers that a rule's filters change; each of several backends has the rule's and its own. */
function changeCount(rule: JsonObject): number {
  const backends = weightedBackends(rule);
  return backends.reduce(
    (sum, { filters }) => sum + headersOf(filters),
    headersOf(rule["filters"]) * Math.max(1, backends.length),
  );
}

function headersOf(filters: Json | undefined): number {
  const lists = objectsIn(filters).flatMap(({ requestHeaderModifier, responseHeaderModifier }) =>
    [requestHeaderModifier, responseHeaderModifier].flatMap((each) =>
      ["set", "add", "remove"].map((list) => fieldAt(each, [list])),
    ),
  );
  return lists.reduce((sum: number, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}

/** Bytes of a value's JSON but for escapes, without writing it. */
function jsonBytes(value: Json): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (value === null || typeof value !== "object") return String(value).length;
  let sum = 2;
  if (Array.isArray(value)) for (const each of value) sum += jsonBytes(each) + 1;
  else for (const [key, each] of Object.entries(value)) sum += key.length + 4 + jsonBytes(each);
  return sum;
}

function refusal(short: Resource): NewCondition {
  const [reason, much] = refusals[short];
  const why = `The Gateway's routes have more than ${much}; older routes come first`;
  const message = `${why}. Delete some of them, or attach this route to another Gateway`;
  return { type: "Accepted", status: "False", reason, message };
}
