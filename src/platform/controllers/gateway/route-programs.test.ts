import { describe, expect, test } from "vitest";
import { admitted, objectOf } from "../../../../test/support/plane/admission.ts";
import type { Json, JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { gatewayKind } from "../../kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../kinds/gateway/http-route.ts";
import { Granted } from "../../kinds/gateway/reference-grant.ts";
import type { ProgramRule, RouteProgram } from "../../routing/route-program.ts";
import { attachedRoutes, routesOfGateway } from "./route-parents.ts";
import { listenersOf, routeProgram } from "./route-programs.ts";

const plane = { type: "project", name: "web", uid: "p1", organization: "acme" } as const;
const http = { name: "web", port: 80, protocol: "HTTP" };
const https = {
  ...{ name: "tls", port: 443, protocol: "HTTPS" },
  tls: { options: { "gateway.networking.example/certificate-issuer": "auto" } },
};
const gateway = admitted(
  objectOf(gatewayKind("example"), "g", {
    metadata: { uid: "u1" },
    spec: { gatewayClassName: "external-global-proxy", listeners: [https, http] },
  }),
  gatewayKind("example"),
);

function routeOf(name: string, spec: JsonObject, creationTimestamp = "2026-01-01T00:00:00Z"): KubeObject {
  const fields = { metadata: { creationTimestamp }, spec: { parentRefs: [{ name: "g" }], ...spec } };
  return admitted(objectOf(httpRouteKind, name, fields), httpRouteKind);
}

function sliceOf(name: string, fields: JsonObject): [string, KubeObject] {
  const whole = {
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"] }],
    ports: [{ name: "http", port: 8080, appProtocol: "http" }],
    ...fields,
  };
  const slice = admitted(objectOf(endpointSliceKind, name, whole), endpointSliceKind);
  return [objectKey(endpointSliceKind, "default", name), slice];
}

const slices = new Map([
  sliceOf("s", {}),
  sliceOf("tls", {
    addressType: "FQDN",
    endpoints: [{ addresses: ["example.com"] }],
    ports: [{ port: 443, appProtocol: "https" }],
  }),
  sliceOf("unready", { endpoints: [{ addresses: ["192.0.2.2"], conditions: { ready: false } }] }),
  sliceOf("second", {
    endpoints: [
      { addresses: ["192.0.2.2"], conditions: { ready: false } },
      { addresses: ["192.0.2.3"], conditions: { ready: true } },
    ],
  }),
  sliceOf("none", { endpoints: [] }),
  sliceOf("udp", { ports: [{ port: 8080, protocol: "UDP" }] }),
]);

const program = (...routes: KubeObject[]): RouteProgram =>
  routeProgram({
    ...{ plane, gateway, backends: { slices, granted: new Granted([]) }, ownRanges: ["10.128.0.0/20"] },
    routes: attachedRoutes(routesOfGateway(gateway, routes)),
  });

const to = (name: string, more: JsonObject = {}): JsonObject => ({
  ...{ group: "discovery.k8s.io", kind: "EndpointSlice", name, port: 8080 },
  ...more,
});

function ruleOf(rule: JsonObject): ProgramRule | undefined {
  return program(routeOf("r", { rules: [rule] })).rules[0];
}

test("several backends: each with weight has a rule of its own, after all others", () => {
  const setHeader = (value: string): JsonObject => ({
    type: "RequestHeaderModifier",
    requestHeaderModifier: { set: [{ name: "x-a", value }] },
  });
  const several = {
    filters: [setHeader("rule")],
    backendRefs: [
      to("s", { weight: 90, filters: [setHeader("backend")] }),
      to("unready", { weight: 0 }),
      to("missing", { weight: 9 }),
      to("none"),
    ],
  };
  const route = routeOf("r", { rules: [several, { backendRefs: [to("s")] }] });
  const { rules, matches } = program(route, routeOf("s", { rules: [{}] }));
  const shares = [
    { weight: 90, rule: 3 },
    { weight: 9, rule: 4 },
    { weight: 1, rule: 5 },
  ];
  const kinds = rules.map(({ action }) => (action.type === "respond" ? action.status : action.type));
  expect(kinds).toEqual(["split", "forward", 500, "forward", 500, 503]);
  expect(rules[0]?.action).toEqual({ type: "split", shares });
  expect(matches.map(({ rule }) => rule).sort()).toEqual([0, 1, 2]);
  const values = rules.map(({ requestHeaders }) =>
    requestHeaders.flatMap(({ set }) => set.map((each) => each.value)),
  );
  expect(values).toEqual([[], [], [], ["rule", "backend"], ["rule"], ["rule"]]);
});

test("the filter CORS, with its defaults", () => {
  const cors = { allowOrigins: ["https://a.example"], allowMethods: ["PUT"] };
  expect(ruleOf({ filters: [{ type: "CORS", cors }] })?.cors).toEqual({
    ...{ origins: ["https://a.example"], methods: ["PUT"], headers: [], exposed: [] },
    ...{ hasCredentials: false, maxAgeSeconds: 5 },
  });
});

describe("the action of a rule", () => {
  const forward = (host: string) => ({ type: "forward", backend: { scheme: "http", host, port: 8080 } });
  const respond = (status: number) => ({ type: "respond", status });

  test.each<[what: string, rule: JsonObject, action: unknown]>([
    ["a slice", { backendRefs: [to("s")] }, forward("192.0.2.1")],
    [
      "a name over TLS",
      { backendRefs: [to("tls", { port: 443 })] },
      { type: "forward", backend: { scheme: "https", host: "example.com", port: 443 } },
    ],
    ["the first endpoint that is ready", { backendRefs: [to("second")] }, forward("192.0.2.3")],
    ["none that is ready", { backendRefs: [to("unready")] }, respond(503)],
    ["no endpoint", { backendRefs: [to("none")] }, respond(503)],
    ["no such slice", { backendRefs: [to("missing")] }, respond(500)],
    ["no such port", { backendRefs: [to("s", { port: 81 })] }, respond(500)],
    ["no TCP port", { backendRefs: [to("udp")] }, respond(500)],
    ["no weight", { backendRefs: [to("s", { weight: 0 })] }, respond(500)],
    ["two without weight", { backendRefs: [to("s", { weight: 0 }), to("s", { weight: 0 })] }, respond(500)],
    [
      "the only one with weight",
      { backendRefs: [to("unready", { weight: 0 }), to("s")] },
      forward("192.0.2.1"),
    ],
    ["no backend", {}, respond(500)],
    [
      "a redirect",
      { filters: [{ type: "RequestRedirect", requestRedirect: { scheme: "https", port: 8443 } }] },
      { type: "redirect", redirect: { scheme: "https", port: 8443, statusCode: 302 } },
    ],
    [
      "a redirect to HTTP, after another filter",
      {
        filters: [
          { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["X-A"] } },
          { type: "RequestRedirect", requestRedirect: { scheme: "http" } },
        ],
      },
      { type: "redirect", redirect: { scheme: "http", statusCode: 302 } },
    ],
    [
      "a redirect to another path",
      {
        matches: [{ path: { value: "/a/" } }],
        filters: [
          {
            type: "RequestRedirect",
            requestRedirect: {
              ...{ hostname: "b.example", statusCode: 308 },
              path: { type: "ReplacePrefixMatch", replacePrefixMatch: "" },
            },
          },
        ],
      },
      {
        type: "redirect",
        redirect: {
          ...{ hostname: "b.example", statusCode: 308 },
          path: { type: "prefix", prefix: "/a", replacement: "" },
        },
      },
    ],
  ])("%s", (_, rule, action) => {
    expect(ruleOf(rule)?.action).toEqual(action);
  });
});

test("filters of the rule come before those of the backend, on the way there; after them, on the way back", () => {
  const modifier = (type: string, field: string, value: string): Json => ({
    type,
    [field]: {
      set: [{ name: "X-A", value }],
      add: [
        { name: "X-B", value },
        { name: "x-b", value: "ignored" },
      ],
      remove: ["X-C"],
    },
  });
  const both = (value: string): Json[] => [
    modifier("RequestHeaderModifier", "requestHeaderModifier", value),
    modifier("ResponseHeaderModifier", "responseHeaderModifier", value),
  ];
  const changes = (value: string) => ({
    set: [{ name: "X-A", value }],
    add: [{ name: "X-B", value }],
    remove: ["X-C"],
  });
  const rule = ruleOf({ filters: both("rule"), backendRefs: [to("s", { filters: both("backend") })] });
  expect(rule?.requestHeaders).toEqual([changes("rule"), changes("backend")]);
  expect(rule?.responseHeaders).toEqual([changes("backend"), changes("rule")]);
});

test.each<[rewrite: Json, expected: object]>([
  [{ hostname: "b.example" }, { rewriteHostname: "b.example" }],
  [
    { path: { type: "ReplaceFullPath", replaceFullPath: "/b" } },
    { rewritePath: { type: "full", path: "/b" } },
  ],
  [
    { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/b" } },
    { rewritePath: { type: "prefix", prefix: "/a/c", replacement: "/b" } },
  ],
])("rewrites %j", (urlRewrite, expected) => {
  const rule = ruleOf({
    matches: [{ path: { value: "/a/c/" } }],
    filters: [
      { type: "RequestHeaderModifier", requestHeaderModifier: { remove: ["X-A"] } },
      { type: "URLRewrite", urlRewrite },
    ],
    backendRefs: [to("s")],
  });
  const { requestHeaders, responseHeaders, action, ...rewrites } = rule ?? {};
  expect(rewrites).toEqual(expected);
});

test.each<[timeouts: JsonObject, ms: number | undefined]>([
  [{}, undefined],
  [{ request: "1m30s" }, 90_000],
  [{ request: "10s", backendRequest: "2s" }, 2_000],
  [{ request: "10s", backendRequest: "0s" }, 10_000],
  [{ request: "0s", backendRequest: "5s" }, 5_000],
  [{ request: "0s" }, 0],
])("timeouts %j: %s ms", (timeouts, ms) => {
  expect(ruleOf({ timeouts, backendRefs: [to("s")] })?.timeoutMs).toBe(ms);
});

describe("mirrors", () => {
  const mirror = (more: JsonObject, backendRef = to("s")): JsonObject => ({
    type: "RequestMirror",
    requestMirror: { backendRef, ...more },
  });
  const programOf = (rule: JsonObject): RouteProgram => program(routeOf("r", { rules: [rule, {}] }));

  test.each<[settings: JsonObject, numerator: number, denominator: number]>([
    [{}, 100, 100],
    [{ percent: 0 }, 0, 100],
    [{ percent: 35 }, 35, 100],
    [{ fraction: { numerator: 1 } }, 1, 100],
    [{ fraction: { numerator: 25, denominator: 50 } }, 25, 50],
  ])("%j: %i of %i", (settings, numerator, denominator) => {
    const { rules } = programOf({ backendRefs: [to("s")], filters: [mirror(settings)] });
    expect(rules[0]?.mirrors).toEqual([{ rule: 2, numerator, denominator }]);
    expect(rules[2]).toMatchObject({ isMirror: true, action: { type: "forward" } });
    expect(rules.length).toBe(3);
  });

  test("of each share of a rule with several backends; one that does not exist is left out", () => {
    const filters = [mirror({}, to("missing")), mirror({})];
    const { rules } = programOf({ backendRefs: [to("s"), to("s")], filters });
    const all = [{ rule: 2, numerator: 100, denominator: 100 }];
    expect(rules.map(({ mirrors }) => mirrors)).toEqual([undefined, undefined, undefined, all, all]);
  });
});

test.each<[rule: JsonObject, expected: JsonObject]>([
  [{ retry: {} }, { retry: { attempts: 1, codes: [] } }],
  [{ retry: { codes: [500, 503], attempts: 3 } }, { retry: { attempts: 3, codes: [500, 503] } }],
  [
    { retry: { attempts: 2 }, timeouts: { request: "10s", backendRequest: "2s" } },
    { timeoutMs: 10_000, retry: { attempts: 2, codes: [], timeoutMs: 2_000 } },
  ],
  [
    { retry: {}, timeouts: { backendRequest: "2s" } },
    { retry: { attempts: 1, codes: [], timeoutMs: 2_000 } },
  ],
  [
    { retry: {}, timeouts: { request: "0s" } },
    { timeoutMs: 0, retry: { attempts: 1, codes: [], timeoutMs: 0 } },
  ],
])("the attempts of %j: %j", (rule, expected) => {
  const { timeoutMs, retry } = ruleOf({ ...rule, backendRefs: [to("s")] }) ?? {};
  expect({ timeoutMs, retry }).toEqual(expected);
});

test.each([
  [[http], ["http"]],
  [[https], ["https"]],
  [
    [https, http, http],
    ["http", "https"],
  ],
  [[], []],
])("the protocols of %j are %j", (listeners, expected) => {
  expect(listenersOf({ ...gateway, spec: { listeners } })).toEqual(expected);
});

describe("the program", () => {
  test("has the rules of all routes, each with its matches in order", () => {
    const young = routeOf(
      "a",
      { rules: [{ matches: [{ path: { type: "Exact", value: "/x" } }], backendRefs: [to("s")] }] },
      "2026-01-02T00:00:00Z",
    );
    const old = routeOf("b", {
      parentRefs: [{ name: "g", sectionName: "web" }],
      rules: [{}, { matches: [{ path: { value: "/long" } }, { method: "GET" }] }],
    });
    const found = program(young, old);
    expect(found).toMatchObject({
      ...{ gateway: "u1", namespace: "default", name: "g", plane, listeners: ["http", "https"] },
      rules: [{ action: { status: 500 } }, { action: { status: 500 } }, { action: { type: "forward" } }],
      ownRanges: ["10.128.0.0/20"],
    });
    expect(
      found.matches.map(({ path, method, rule, listeners }) => [path.value, method, rule, listeners]),
    ).toEqual([
      ["/x", undefined, 2, undefined],
      ["/long", undefined, 1, ["http"]],
      ["/", "GET", 1, ["http"]],
      ["/", undefined, 0, ["http"]],
    ]);
    // Equal programs are known by their JSON.
    expect(JSON.stringify(program(old, young))).toBe(JSON.stringify(found));
  });

  test("has no ranges if it forwards nowhere", () => {
    expect(program(routeOf("r", {})).ownRanges).toEqual([]);
  });

  test("an empty list of matches takes every request", () => {
    const [match] = program(routeOf("r", { rules: [{ matches: [] }] })).matches;
    expect(match).toMatchObject({ path: { type: "PathPrefix", value: "/" }, rule: 0 });
  });
});
