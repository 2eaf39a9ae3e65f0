import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import type { NameAndValue, RouteMatch } from "../../routing/route-program.ts";

/** A match with the rule that it leads to. */
export interface OrderedMatch {
  readonly match: RouteMatch;
  /** Place of the route in the list that was given. */
  readonly route: number;
  readonly rule: number;
  /** Undefined: requests for every hostname of the gateway. */
  readonly host: string | undefined;
  /** Place of the host in the route's list. */
  readonly place: number;
}

/** A route with the hostnames that it is for; undefined among them: every one of the gateway. */
export interface RouteOfHosts {
  readonly route: KubeObject;
  readonly hosts: readonly (string | undefined)[];
}

/**
 * The matches of a gateway's routes in the order in which they are tried: the first that a request has
 * decides. A whole hostname comes first, then the longest wildcard, an exact path, the longest prefix, a
 * method, the most headers, the most query parameters, the oldest route, its name, the order in the route
 * (Gateway API, HTTPRouteRule.matches and HTTPRouteSpec.hostnames).
 */
export function orderedMatches(all: readonly RouteOfHosts[]): OrderedMatch[] {
  const routes = all.map(({ route }) => route);
  const found: OrderedMatch[] = [];
  const rank = new Map([...routes.keys()].sort(byAge(routes)).map((route, place) => [route, place]));
  for (const [route, object] of routes.entries()) {
    for (const [rule, { matches }] of objectsIn(fieldAt(object, ["spec", "rules"])).entries()) {
      const listed = objectsIn(matches);
      // No match at all matches every request, as the default does.
      for (const match of (listed.length === 0 ? [{}] : listed).map(matchOf)) {
        for (const [place, host] of (all[route]?.hosts ?? []).entries()) {
          found.push({ match, route, rule, host, place });
        }
      }
    }
  }
  const rankOf = ({ route }: OrderedMatch): number => rank.get(route) ?? 0;
  // Sorting is stable: what is equal stays in the order of its route.
  return found.sort(
    (a, b) => byHost(a.host, b.host) || bySpecificity(a.match, b.match) || rankOf(a) - rankOf(b),
  );
}

function byHost(a: string | undefined, b: string | undefined): number {
  const rank = (host: string | undefined): number =>
    host === undefined ? 0 : host.length + (host.startsWith("*.") ? 0 : 1_000);
  return rank(b) - rank(a);
}

function bySpecificity(a: RouteMatch, b: RouteMatch): number {
  const isExact = ({ path }: RouteMatch): number => (path.type === "Exact" ? 1 : 0);
  const hasMethod = ({ method }: RouteMatch): number => (method === undefined ? 0 : 1);
  return (
    isExact(b) - isExact(a) ||
    b.path.value.length - a.path.value.length ||
    hasMethod(b) - hasMethod(a) ||
    b.headers.length - a.headers.length ||
    b.queryParams.length - a.queryParams.length
  );
}

function byAge(routes: readonly KubeObject[]): (a: number, b: number) => number {
  const age = (index: number): string => routes[index]?.metadata.creationTimestamp ?? "";
  const name = (index: number): string =>
    `${routes[index]?.metadata.namespace ?? ""}/${routes[index]?.metadata.name ?? ""}`;
  return (a, b) => compare(age(a), age(b)) || compare(name(a), name(b));
}

/** By code units, whatever the locale. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function matchOf(match: JsonObject): RouteMatch {
  const type = fieldAt(match, ["path", "type"]) === "Exact" ? "Exact" : "PathPrefix";
  const value = String(fieldAt(match, ["path", "value"]) ?? "/");
  const { method } = match;
  return {
    // `/foo/` and `/foo` are the same prefix.
    path: { type, value: type === "Exact" ? value : value.replace(/(?<=.)\/$/, "") },
    ...(typeof method === "string" ? { method } : {}),
    headers: firstOfEach(objectsIn(match["headers"]), (name) => name.toLowerCase()),
    queryParams: firstOfEach(objectsIn(match["queryParams"]), (name) => name),
  };
}

/** Of entries with an equal name, only the first counts (Gateway API, HTTPHeaderMatch.name). */
function firstOfEach(list: readonly JsonObject[], normal: (name: string) => string): NameAndValue[] {
  const found = new Map<string, NameAndValue>();
  for (const { name: given, value } of list) {
    const name = normal(String(given));
    if (!found.has(name)) found.set(name, { name, value: String(value) });
  }
  return [...found.values()];
}
