import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { admitted, objectOf } from "../../../../test/support/plane/admission.ts";
import type { Json, KubeObject } from "../../../kube-server/api/object.ts";
import { httpRouteKind } from "../../kinds/gateway/http-route.ts";
import { orderedMatches } from "./match-order.ts";

function route(name: string, rules: readonly Json[], creationTimestamp = "2026-01-01T00:00:00Z"): KubeObject {
  const matches = rules.map((match) => ({ matches: [match] }));
  const object = admitted(objectOf(httpRouteKind, name, { spec: { rules: matches } }), httpRouteKind);
  return { ...object, metadata: { ...object.metadata, creationTimestamp } };
}

const path = (type: string, value: string): Json => ({ path: { type, value } });
const headers = (...names: string[]): Json => ({ headers: names.map((name) => ({ name, value: "v" })) });
const queryParams = (...names: string[]): Json => ({
  queryParams: names.map((name) => ({ name, value: "v" })),
});

const ordered = (routes: readonly KubeObject[], hosts: readonly (string | undefined)[] = [undefined]) =>
  orderedMatches(routes.map((each) => ({ route: each, hosts })));

/** Rules in the order in which they are tried. */
const orderOf = (...rules: Json[]): number[] => ordered([route("x", rules)]).map(({ rule }) => rule);

describe("tried first", () => {
  test("a whole hostname first, then the longest wildcard, whatever the path", () => {
    const [a, b] = [route("a", [path("Exact", "/long/path")]), route("b", [path("PathPrefix", "/")])];
    const found = orderedMatches([
      { route: a, hosts: [undefined, "*.example.com"] },
      { route: b, hosts: ["*.b.example.com", "a.example.com"] },
    ]);
    expect(found.map(({ host }) => host)).toEqual([
      ...["a.example.com", "*.b.example.com", "*.example.com", undefined],
    ]);
  });

  test.each<[string, Json[], number[]]>([
    ["an exact path", [path("PathPrefix", "/long/prefix"), path("Exact", "/a")], [1, 0]],
    [
      "the longest prefix",
      [path("PathPrefix", "/"), path("PathPrefix", "/a/b"), path("PathPrefix", "/a")],
      [1, 2, 0],
    ],
    ["a method", [headers("a", "b"), { method: "GET" }], [1, 0]],
    ["the most headers", [queryParams("a", "b"), headers("a"), headers("a", "b")], [2, 1, 0]],
    ["the most query parameters", [{}, queryParams("a"), queryParams("a", "b")], [2, 1, 0]],
    ["what comes first", [headers("a"), headers("b"), path("PathPrefix", "/")], [0, 1, 2]],
    [
      "a prefix, whether it ends in a slash or not",
      [path("PathPrefix", "/a"), path("PathPrefix", "/a/")],
      [0, 1],
    ],
    ["of headers with an equal name, the first only", [headers("x-b"), headers("X-A", "x-a")], [0, 1]],
  ])("%s", (_, rules, expected) => {
    expect(orderOf(...rules)).toEqual(expected);
  });

  test("the oldest route, then by name", () => {
    const routes = [
      route("b", [{}], "2026-01-02T00:00:00Z"),
      route("a", [{}], "2026-01-02T00:00:00Z"),
      route("c", [{}], "2026-01-01T00:00:00Z"),
      route("d", [headers("a")], "2026-01-03T00:00:00Z"),
    ];
    expect(ordered(routes).map(({ route }) => routes[route]?.metadata.name)).toEqual(["d", "c", "a", "b"]);
  });
});

test("names of headers are in lower case, the first value counts, prefixes end in no slash", () => {
  const both = {
    path: { type: "PathPrefix", value: "/a/b/" },
    headers: [
      { name: "X-A", value: "V" },
      { name: "x-a", value: "W" },
    ],
  };
  expect(ordered([route("x", [both])])[0]?.match).toEqual({
    path: { type: "PathPrefix", value: "/a/b" },
    method: undefined,
    headers: [{ name: "x-a", value: "V" }],
    queryParams: [],
  });
});

test.each([
  ["Exact", "/a/", "/a/"],
  ["PathPrefix", "/", "/"],
])("the path of %s %s is %s", (type, value, expected) => {
  expect(ordered([route("x", [path(type, value)])])[0]?.match.path).toEqual({ type, value: expected });
});

test("the order does not depend on the order in which routes are listed", () => {
  const match = fc.record({
    path: fc.constantFrom<Json>(
      { type: "Exact", value: "/a" },
      { type: "PathPrefix", value: "/" },
      { type: "PathPrefix", value: "/a" },
    ),
    headers: fc.constantFrom<Json>([], [{ name: "a", value: "b" }]),
  });
  const lists = fc.array(fc.array(match, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lists, fc.infiniteStream(fc.nat()), (rules, random) => {
      const routes = rules.map((each, index) =>
        route(`r${index}`, each, `2026-01-0${1 + (index % 2)}T00:00:00Z`),
      );
      const shuffled = routes
        .map((each) => ({ each, key: random.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ each }) => each);
      const tried = (list: readonly KubeObject[]) =>
        ordered(list).map(({ route, rule, match }) => [list[route]?.metadata.name, rule, match]);
      expect(tried(shuffled)).toEqual(tried(routes));
    }),
    { numRuns: 200 },
  );
});
