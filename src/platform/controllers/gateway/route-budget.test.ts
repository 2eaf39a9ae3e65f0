import { describe, expect, test } from "vitest";
import { admitted, objectOf } from "../../../../test/support/plane/admission.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import { httpRouteKind } from "../../kinds/gateway/http-route.ts";
import type { RouteMatch } from "../../routing/route-program.ts";
import { conditionCount, RouteBudget, routeLimits } from "./route-budget.ts";

const routeOf = (...rules: Json[]): KubeObject =>
  admitted(objectOf(httpRouteKind, "r", { spec: { parentRefs: [{ name: "g" }], rules } }), httpRouteKind);

const pairs = (count: number, value = "v") =>
  Array.from({ length: count }, (_, index) => ({ name: `n${index}`, value }));
/** A rule whose matches compare `count` headers each. */
const comparing = (matches: number, count: number): Json => ({
  matches: Array.from({ length: matches }, () => ({ headers: pairs(count) })),
});
/** A rule of about so many KiB, in a header that it sets. */
const sized = (kib: number): Json => ({
  filters: ["requestHeaderModifier", "responseHeaderModifier"].map((field, index) => ({
    type: ["RequestHeaderModifier", "ResponseHeaderModifier"][index] ?? "",
    [field]: { set: pairs(16, "é".repeat(kib * 8)), add: pairs(16, "é".repeat(kib * 8)) },
  })),
});

/** A rule whose matches compare headers or query parameters of so many names. */
const naming = (list: "headers" | "queryParams", from: number, count: number): Json => ({
  matches: Array.from({ length: count }, (_, index) => ({
    [list]: [{ name: `n${from + index}`, value: "v" }],
  })),
});
/** A filter that changes so many headers. */
const changes = (of: "Request" | "Response", headers: number): Json => ({
  type: `${of}HeaderModifier`,
  [`${of.toLowerCase()}HeaderModifier`]: {
    set: pairs(headers / 2),
    remove: pairs(headers / 2).map(({ name }) => name),
  },
});
const changing = (headers: number, more: Record<string, Json> = {}): Json => ({
  filters: [changes("Request", headers)],
  ...more,
});

const remedy = "older routes come first. Delete some of them, or attach this route to another Gateway";

const slice = { group: "discovery.k8s.io", kind: "EndpointSlice", name: "s", port: 80 };

describe("routes are attached until they have more than", () => {
  test.each<[reason: string, much: string, full: KubeObject[], small: KubeObject]>([
    [
      "TooManyMatches",
      "1024 matches",
      Array.from({ length: 8 }, () => routeOf(comparing(64, 0), comparing(64, 0))),
      routeOf({}),
    ],
    [
      "TooManyRules",
      "256 rules and backends that share a rule's requests",
      Array.from({ length: 16 }, () => routeOf(...Array.from({ length: 16 }, () => ({})))),
      routeOf({}),
    ],
    [
      "TooManyRules",
      "256 rules and backends that share a rule's requests",
      Array.from({ length: 15 }, () => routeOf({ backendRefs: Array.from({ length: 16 }, () => slice) })),
      routeOf({ backendRefs: [slice, slice, { ...slice, weight: 0 }] }),
    ],
    [
      "TooManyConditions",
      "2000 paths, methods, headers and query parameters in their matches",
      [routeOf(comparing(64, 16)), routeOf(comparing(61, 16))],
      routeOf(comparing(1, 1)),
    ],
    [
      "TooManyNames",
      "64 different names of headers and query parameters in their matches",
      [
        routeOf(naming("headers", 0, 40)),
        routeOf(naming("headers", 10, 30), naming("queryParams", 0, 20)),
        routeOf(naming("headers", 0, 4), naming("queryParams", 20, 4)),
      ],
      routeOf(naming("queryParams", 24, 1)),
    ],
    [
      "TooManyChanges",
      "4096 headers that filters set, add or remove",
      Array.from({ length: 8 }, () => routeOf(...Array.from({ length: 16 }, () => changing(32)))),
      routeOf(changing(2)),
    ],
    [
      "TooManyChanges",
      "4096 headers that filters set, add or remove",
      Array.from({ length: 8 }, () => {
        const backendRefs = [{ ...slice, filters: [changes("Response", 16)] }, slice];
        return routeOf(...Array.from({ length: 10 }, () => changing(16, { backendRefs })));
      }).concat(routeOf(...Array.from({ length: 8 }, () => changing(32)))),
      routeOf(changing(2)),
    ],
    [
      "TooLarge",
      "1 MiB",
      Array.from({ length: 2 }, () => routeOf(sized(250), sized(250))),
      routeOf(sized(30)),
    ],
  ])("%s: %s", (reason, much, full, small) => {
    const budget = new RouteBudget();
    expect(full.map((route) => budget.take(route))).toEqual(full.map(() => undefined));
    expect(budget.take(small)).toEqual({
      ...{ type: "Accepted", status: "False", reason },
      message: `The Gateway's routes have more than ${much}; ${remedy}`,
    });
  });

  test("a route that is refused takes nothing: a smaller one still fits", () => {
    const budget = new RouteBudget();
    expect(budget.take(routeOf(comparing(64, 16)))).toBeUndefined();
    expect(budget.take(routeOf(comparing(64, 16)))?.reason).toBe("TooManyConditions");
    expect(budget.take(routeOf(comparing(61, 16)))).toBeUndefined();
    expect(64 * 16 + 61 * 16).toBe(routeLimits.conditions);
  });
});

const every: RouteMatch = { path: { type: "PathPrefix", value: "/" }, headers: [], queryParams: [] };
const pair = { name: "a", value: "b" };

test.each<[Partial<RouteMatch>, number]>([
  [{}, 0],
  [{ path: { type: "Exact", value: "/" } }, 1],
  [{ path: { type: "PathPrefix", value: "/a" } }, 1],
  [{ method: "GET" }, 1],
  [{ headers: [pair, pair] }, 2],
  [{ queryParams: [pair] }, 1],
  [{ queryParams: [pair, { name: "a|b", value: "c" }] }, 3],
])("%j has %i conditions", (match, count) => {
  expect(conditionCount({ ...every, ...match })).toBe(count);
});
