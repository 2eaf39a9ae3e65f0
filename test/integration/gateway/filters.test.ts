import { describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/servers/free-port.ts";
import type { Json } from "../../../src/kube-server/api/object.ts";
import { orderedMatches } from "../../../src/platform/controllers/gateway/match-order.ts";
import { httpRouteKind } from "../../../src/platform/kinds/gateway/http-route.ts";
import type {
  BackendTarget,
  NameAndValue,
  PathChange,
  Redirect,
  RouteProgram,
} from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { type GatewayRequest, send, valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { readFrame, textFrame, writeFrame } from "../../support/gateway/web-socket-echo.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { admitted, objectOf } from "../../support/plane/admission.ts";
import { setUpAll } from "../../support/set-up.ts";

/**
 * Named as in the conformance suite of the Gateway API, whose assertions they repeat. Where a rule has a delayed
 * answer, its time is shorter here. The tests run together, so that their programs share a load.
 */
let gateway: RunningGateway;
const backends: GatewayBackend[] = [];

setUpAll(async ({ keep }) => {
  for (const name of ["v1", "v2", "v3"]) backends.push(await keep(startGatewayBackend({ name })));
  gateway = await keep(startGateway());
});

type Name = "v1" | "v2" | "v3";

function target(name: Name): BackendTarget {
  const port = backends.find((each) => each.name === name)?.port ?? 0;
  return { scheme: "http", host: "127.0.0.1", port };
}

/** A rule of an HTTPRoute that leads to a backend. */
interface Routed {
  readonly name?: string;
  readonly matches?: readonly Json[];
  readonly to: Name;
}

/** The program of one HTTPRoute, whose matches are tried in the order of the controllers. */
function routed(rules: readonly Routed[]): RouteProgram {
  const spec = rules.map(({ name, matches }) => ({
    ...(name === undefined ? {} : { name }),
    ...(matches === undefined ? {} : { matches: [...matches] }),
  }));
  const route = admitted(objectOf(httpRouteKind, "route", { spec: { rules: spec } }), httpRouteKind);
  const program = programOf(rules.map(({ to }) => ({ backend: target(to) })));
  return {
    ...program,
    matches: orderedMatches([{ route, hosts: [undefined] }]).map(({ match, rule }) => ({ ...match, rule })),
  };
}

const prefix = (value: string): Json => ({ path: { type: "PathPrefix", value } });
const exact = (value: string): Json => ({ path: { type: "Exact", value } });
const pairs = (of: Record<string, string>): Json[] =>
  Object.entries(of).map(([name, value]) => ({ name, value }));
const headers = (of: Record<string, string>): { headers: Json } => ({ headers: pairs(of) });
const query = (of: Record<string, string>): { queryParams: Json } => ({ queryParams: pairs(of) });

type Sent = string | GatewayRequest;
const requestOf = (sent: Sent): GatewayRequest => (typeof sent === "string" ? { path: sent } : sent);

/** Loads the program and sends the requests; each is answered by a backend, or with a status. */
async function expectRoutes(program: RouteProgram, cases: readonly (readonly [Sent, Name | number])[]) {
  await gateway.load(program);
  const got = await Promise.all(
    cases.map(async ([sent]) => {
      const answer = await send(gateway.port, program, requestOf(sent));
      return [sent, answer.status === 200 ? answer.echo.name : answer.status];
    }),
  );
  expect(got).toEqual(cases);
}

describe.concurrent("matches", () => {
  test("HTTPRouteSimpleSameNamespace", async () => {
    await expectRoutes(routed([{ to: "v1" }]), [["/", "v1"]]);
  });

  test("HTTPRouteMatching", async () => {
    const rules: Routed[] = [
      { matches: [prefix("/"), headers({ version: "one" })], to: "v1" },
      { matches: [prefix("/v2"), headers({ version: "two" })], to: "v2" },
    ];
    await expectRoutes(routed(rules), [
      ["/", "v1"],
      ["/example", "v1"],
      [{ headers: { Version: "one" } }, "v1"],
      ["/v2", "v2"],
      ["/v2/", "v2"],
      ["/v2/example", "v2"],
      [{ headers: { Version: "two" } }, "v2"],
      // Not at the end of an element.
      ["/v2example", "v1"],
      ["/foo/v2/example", "v1"],
      ["/V2", "v1"],
      ["/v2?a=/b", "v2"],
      ["/%76%32/example", "v2"],
      ["/a/../v2", "v2"],
      ["/v2/../a", "v1"],
    ]);
  });

  test("HTTPRouteExactPathMatching", async () => {
    const rules: Routed[] = [
      { matches: [exact("/one")], to: "v1" },
      { matches: [exact("/two")], to: "v2" },
      { matches: [exact("/caf%c3%A9/%7e")], to: "v3" },
    ];
    await expectRoutes(routed(rules), [
      ["/one", "v1"],
      ["/two", "v2"],
      ["/one?a=b", "v1"],
      ["/", 404],
      ["/one/example", 404],
      ["/one/", 404],
      ["/two/", 404],
      ["/Two", 404],
      ["/onetwo", 404],
      ["/caf%C3%a9/~", "v3"],
    ]);
  });

  test("HTTPRouteHeaderMatching", async () => {
    const rules: Routed[] = [
      { matches: [headers({ version: "one" })], to: "v1" },
      { matches: [headers({ version: "two" })], to: "v2" },
      { matches: [headers({ version: "two", color: "orange" })], to: "v1" },
      { matches: [headers({ color: "blue" }), headers({ Color: "green" })], to: "v1" },
      { matches: [headers({ color: "red" }), headers({ color: "yellow" })], to: "v2" },
      { matches: [headers({ list: "a, b" })], to: "v3" },
    ];
    const by = (of: Record<string, string | string[]>): Sent => ({ headers: of });
    await expectRoutes(routed(rules), [
      [by({ Version: "one" }), "v1"],
      [by({ Version: "two" }), "v2"],
      [by({ Version: "two", Color: "orange" }), "v1"],
      [by({ VERSION: "two", cOLOR: "orange" }), "v1"],
      [by({ Color: "blue" }), "v1"],
      [by({ Color: "green" }), "v1"],
      [by({ Color: "red" }), "v2"],
      [by({ Color: "yellow" }), "v2"],
      [by({ Color: "purple" }), 404],
      [by({ Color: "Blue" }), 404],
      [by({ Color: "orange" }), 404],
      [by({ "Some-Other-Header": "one" }), 404],
      [by({ Version: "oneandmore" }), 404],
      [by({ list: "a, b" }), "v3"],
      [by({ list: "a" }), 404],
    ]);
  });

  test("HTTPRouteMethodMatching", async () => {
    const rules: Routed[] = [
      { matches: [{ method: "POST" }], to: "v1" },
      { matches: [{ method: "GET" }], to: "v2" },
      { matches: [{ ...(prefix("/path1") as object), method: "GET" } as Json], to: "v1" },
      { matches: [{ ...headers({ version: "one" }), method: "PUT" }], to: "v2" },
      {
        matches: [
          { ...(prefix("/path2") as object), ...headers({ version: "two" }), method: "POST" } as Json,
        ],
        to: "v3",
      },
      { matches: [{ ...(prefix("/path3") as object), method: "PATCH" } as Json], to: "v1" },
      { matches: [{ ...(prefix("/path4") as object), ...headers({ version: "three" }) } as Json], to: "v2" },
      { matches: [{ ...(prefix("/path5") as object), method: "PATCH" } as Json, prefix("/path4")], to: "v3" },
    ];
    const version = (value: string): Pick<GatewayRequest, "headers"> => ({ headers: { version: value } });
    await expectRoutes(routed(rules), [
      [{ method: "POST" }, "v1"],
      [{ method: "GET" }, "v2"],
      [{ method: "DELETE" }, 404],
      [{ method: "PATCH" }, 404],
      [{ method: "GET", path: "/path1" }, "v1"],
      [{ method: "PUT", ...version("one") }, "v2"],
      [{ method: "PUT", ...version("two") }, 404],
      [{ method: "POST", path: "/path2", ...version("two") }, "v3"],
      [{ method: "POST", path: "/path2" }, "v1"],
      [{ method: "PATCH", path: "/path3" }, "v1"],
      [{ method: "DELETE", path: "/path4", ...version("three") }, "v2"],
      [{ method: "PATCH", path: "/path5" }, "v3"],
      [{ method: "DELETE", path: "/path4" }, "v3"],
    ]);
  });

  test("HTTPRouteQueryParamMatching", async () => {
    const rules: Routed[] = [
      { matches: [query({ animal: "whale" })], to: "v1" },
      { matches: [query({ animal: "dolphin" })], to: "v2" },
      { matches: [query({ animal: "dolphin", color: "blue" }), query({ ANIMAL: "Whale" })], to: "v3" },
      { matches: [{ ...(prefix("/path1") as object), ...query({ animal: "whale" }) } as Json], to: "v2" },
      { matches: [{ ...headers({ version: "one" }), ...query({ animal: "shark" }) }], to: "v3" },
      { matches: [query({ "a&b": "c d" })], to: "v1" },
    ];
    await expectRoutes(routed(rules), [
      ["/?animal=whale", "v1"],
      ["/?animal=dolphin", "v2"],
      ["/?animal=whale&otherparam=irrelevant", "v1"],
      ["/?animal=dolphin&color=yellow", "v2"],
      ["/?animal=dolphin&color=blue", "v3"],
      ["/?color=blue&animal=dolphin", "v3"],
      ["/?ANIMAL=Whale", "v3"],
      ["/?animal=Shark", 404],
      ["/?animal=humpbackwhale", 404],
      ["/?animal=", 404],
      ["/?animal", 404],
      ["/", 404],
      ["/path1?animal=whale", "v2"],
      [{ path: "/?animal=shark", headers: { version: "one" } }, "v3"],
      ["/?animal=shark", 404],
      ["/?animal=%77hale", "v1"],
      ["/?a%26b=c%20d", "v1"],
      ["/?a%26b=c+d", "v1"],
    ]);
  });

  test("HTTPRoutePathMatchOrder", async () => {
    const rules: Routed[] = [
      { matches: [prefix("/match/prefix")], to: "v1" },
      { matches: [prefix("/match")], to: "v1" },
      { matches: [exact("/match/exact")], to: "v2" },
      { matches: [prefix("/match/prefix/one")], to: "v2" },
      { matches: [exact("/match/exact/one")], to: "v3" },
      { matches: [prefix("/")], to: "v3" },
    ];
    await expectRoutes(routed(rules), [
      ["/match/exact/one", "v3"],
      ["/match/exact", "v2"],
      ["/match", "v1"],
      ["/match/prefix/one/any", "v2"],
      ["/match/prefix/any", "v1"],
      ["/match/any", "v1"],
      ["/any", "v3"],
    ]);
  });

  test("HTTPRouteNamedRule", async () => {
    const rules: Routed[] = [
      { name: "named-rule", matches: [prefix("/named")], to: "v1" },
      { matches: [prefix("/unnamed")], to: "v2" },
    ];
    await expectRoutes(routed(rules), [
      ["/named", "v1"],
      ["/unnamed", "v2"],
    ]);
  });

  test("HTTPRouteNoBackendRefs, HTTPRouteInvalidNonExistentBackendRef: 500, and other rules are served", async () => {
    const program = programOf([
      { matches: [{ path: { type: "PathPrefix", value: "/none" } }], respond: 500 },
      { backend: target("v2") },
    ]);
    await expectRoutes(program, [
      ["/none", 500],
      ["/some", "v2"],
    ]);
  });
});

const list = (of: Record<string, string>): NameAndValue[] =>
  Object.entries(of).map(([name, value]) => ({ name, value }));

interface Changes {
  readonly set?: Record<string, string>;
  readonly add?: Record<string, string>;
  readonly remove?: readonly string[];
}

const changes = ({ set = {}, add = {}, remove = [] }: Changes) => [
  { set: list(set), add: list(add), remove },
];

const at = (path: string, rule: RuleParts): RuleParts => ({
  matches: [{ path: { type: "PathPrefix", value: path } }],
  ...rule,
});

test.concurrent("HTTPRouteRequestHeaderModifier", async () => {
  const rule = (path: string, each: Changes): RuleParts =>
    at(path, { requestHeaders: changes(each), backend: target("v1") });
  const program = programOf([
    rule("/set", { set: { "X-Header-Set": "set-overwrites-values" } }),
    rule("/add", { add: { "X-Header-Add": "add-appends-values" } }),
    rule("/remove", { remove: ["X-Header-Remove"] }),
    rule("/multiple", {
      set: { "X-Header-Set-1": "header-set-1", "X-Header-Set-2": "header-set-2" },
      add: { "X-Header-Add-1": "header-add-1", "X-Header-Add-2": "header-add-2" },
      remove: ["X-Header-Remove-1", "X-Header-Remove-2"],
    }),
    rule("/case-insensitivity", {
      set: { "X-Header-Set": "header-set" },
      add: { "X-Header-Add": "header-add" },
      remove: ["X-Header-Remove"],
    }),
    { backend: target("v1") },
  ]);
  await gateway.load(program);
  type Row = readonly [path: string, sent: Record<string, string | string[]>, got: Record<string, string[]>];
  const rows: readonly Row[] = [
    ["/set", {}, { "X-Header-Set": ["set-overwrites-values"] }],
    [
      "/set",
      { "X-Header-Set": ["some-other-value", "another"], "X-Kept": "kept" },
      { "X-Header-Set": ["set-overwrites-values"], "X-Kept": ["kept"] },
    ],
    ["/add", {}, { "X-Header-Add": ["add-appends-values"] }],
    [
      "/add",
      { "X-Header-Add": "some-other-value" },
      { "X-Header-Add": ["some-other-value", "add-appends-values"] },
    ],
    [
      "/remove",
      { "X-Header-Remove": ["val", "again"], "X-Header-Remove-Not": "kept" },
      { "X-Header-Remove": [], "X-Header-Remove-Not": ["kept"] },
    ],
    [
      "/multiple",
      { "X-Header-Set-2": "set-val-2", "X-Header-Add-2": "add-val-2", "X-Header-Remove-2": "remove-val-2" },
      {
        ...{ "X-Header-Set-1": ["header-set-1"], "X-Header-Set-2": ["header-set-2"] },
        ...{ "X-Header-Add-1": ["header-add-1"], "X-Header-Add-2": ["add-val-2", "header-add-2"] },
        ...{ "X-Header-Remove-1": [], "X-Header-Remove-2": [] },
      },
    ],
    [
      "/case-insensitivity",
      { "x-header-set": "a", "x-header-add": "b", "X-HEADER-REMOVE": "c" },
      { "X-Header-Set": ["header-set"], "X-Header-Add": ["b", "header-add"], "X-Header-Remove": [] },
    ],
    ["/other", { "X-Header-Set": "own" }, { "X-Header-Set": ["own"], "X-Header-Add": [] }],
  ];
  for (const [path, sent, expected] of rows) {
    const { echo } = await send(gateway.port, program, { path, headers: sent });
    const got = Object.keys(expected).map((name) => [name, valuesOf(echo, name)]);
    expect(Object.fromEntries(got), path).toEqual(expected);
  }
});

test.concurrent("HTTPRouteResponseHeaderModifier", async () => {
  // The backend's answer has `X-Big-0` there, and a Content-Type everywhere.
  const rewritePath: PathChange = { type: "full", path: "/big-head/1" };
  const rule = (path: string, each: Changes): RuleParts =>
    at(path, { responseHeaders: changes(each), rewritePath, backend: target("v1") });
  const program = programOf([
    rule("/set", { set: { "X-Header-Set": "set-overwrites-values", "X-BIG-0": "overwritten" } }),
    rule("/add", { add: { "X-Header-Add": "add-appends-values", "x-big-0": "appended" } }),
    rule("/remove", { remove: ["x-Big-0", "Content-Type", "X-None"] }),
    { rewritePath, backend: target("v1") },
  ]);
  await gateway.load(program);
  const big = "x".repeat(4096);
  const rows: readonly (readonly [string, Record<string, string | undefined>])[] = [
    ["/set", { "x-header-set": "set-overwrites-values", "x-big-0": "overwritten" }],
    ["/add", { "x-header-add": "add-appends-values", "x-big-0": `${big}, appended` }],
    ["/remove", { "x-big-0": undefined, "content-type": undefined }],
    ["/other", { "x-big-0": big, "content-type": "application/json", "x-header-set": undefined }],
  ];
  for (const [path, expected] of rows) {
    const { headers: got } = await send(gateway.port, program, { path });
    const shown = Object.keys(expected).map((name) => [name, got[name]]);
    expect(Object.fromEntries(shown), path).toEqual(expected);
  }
});

test.concurrent("ResponseHeaderModifier beside a redirect and on the gateway's own responses", async () => {
  const responseHeaders = changes({
    set: { "X-Set": "yes" },
    add: { Vary: "Origin" },
    remove: ["content-type"],
  });
  const dead: BackendTarget = { scheme: "http", host: "127.0.0.1", port: await freePort() };
  const blocked: BackendTarget = { scheme: "http", host: "10.0.0.1", port: 80 };
  const program = programOf([
    at("/redirect", { responseHeaders, redirect: { scheme: "https", statusCode: 301 } }),
    at("/respond", { responseHeaders, respond: 500 }),
    at("/dead", { responseHeaders, backend: dead }),
    at("/blocked", { responseHeaders, backend: blocked }),
    at("/served", { responseHeaders, backend: target("v1") }),
    { respond: 500 },
  ]);
  await gateway.load(program);
  const rows = [
    ["/redirect", 301],
    ["/respond", 500],
    ["/dead", 503],
    ["/blocked", 502],
    ["/served", 200],
  ] as const;
  for (const [path, status] of rows) {
    const { status: got, headers: sent } = await send(gateway.port, program, { path });
    const shown = [got, sent["x-set"], sent["vary"], sent["content-type"]];
    expect(shown, path).toEqual([status, "yes", "Origin", undefined]);
  }
  const { headers: other } = await send(gateway.port, program, { path: "/other" });
  expect(other["x-set"]).toBeUndefined();
});

describe.concurrent("rewrites", () => {
  type Row = readonly [sent: string, from: string, to: string, got: string];

  test("ReplacePrefixMatch, by the table of the Gateway API", async () => {
    const rows: readonly Row[] = [
      ["/foo/bar", "/foo", "/xyz", "/xyz/bar"],
      ["/foo/bar", "/foo", "/xyz/", "/xyz/bar"],
      ["/foo/bar", "/foo/", "/xyz", "/xyz/bar"],
      ["/foo/bar", "/foo/", "/xyz/", "/xyz/bar"],
      ["/foo", "/foo", "/xyz", "/xyz"],
      ["/foo/", "/foo", "/xyz", "/xyz/"],
      ["/foo/bar", "/foo", "", "/bar"],
      ["/foo/", "/foo", "", "/"],
      ["/foo", "/foo", "", "/"],
      ["/foo/", "/foo", "/", "/"],
      ["/foo", "/foo", "/", "/"],
      ["/foo/bar?a=%2f&b", "/foo", "/xyz", "/xyz/bar?a=%2f&b"],
      ["/foo?a=/foo", "/foo", "", "/?a=/foo"],
      ["/bar", "/", "/xyz", "/xyz/bar"],
      ["/", "/", "/xyz", "/xyz/"],
      ["/bar", "/", "/", "/bar"],
      ["/foo/bar", "/foo/bar", "/%25", "/%25"],
      ["/%c3%a9/bar", "/%C3%A9", "/e", "/e/bar"],
      ["/~/bar", "/%7e", "/home", "/home/bar"],
      ["/foo//bar", "/foo", "/xyz", "/xyz//bar"],
    ];
    const programs = rows.map(([, from, to]) =>
      programOf([
        {
          matches: [{ path: { type: "PathPrefix", value: from.replace(/(?<=.)\/$/, "") } }],
          rewritePath: { type: "prefix", prefix: from, replacement: to },
          backend: target("v1"),
        },
      ]),
    );
    await gateway.load(...programs);
    const got = await Promise.all(
      rows.map(async ([path, from, to], index) => {
        const { echo } = await send(gateway.port, programs[index] as RouteProgram, { path });
        return [path, from, to, echo.url];
      }),
    );
    expect(got).toEqual(rows);
  });

  test("HTTPRouteRewritePath", async () => {
    const modified = changes({
      set: { "X-Header-Set": "set-overwrites-values" },
      add: { "X-Header-Add": "add-appends-values" },
      remove: ["X-Header-Remove"],
    });
    const full = (path: string): PathChange => ({ type: "full", path });
    const part = (from: string, replacement: string): PathChange => ({
      ...{ type: "prefix", prefix: from, replacement },
    });
    const rule = (path: string, rewritePath: PathChange, requestHeaders = changes({})): RuleParts =>
      at(path, { rewritePath, requestHeaders, backend: target("v1") });
    const program = programOf([
      rule("/prefix/one", part("/prefix/one", "/one")),
      rule("/strip-prefix", part("/strip-prefix", "/")),
      rule("/full/one", full("/one")),
      rule("/full/rewrite-path-and-modify-headers", full("/test"), modified),
      rule("/prefix/rewrite-path-and-modify-headers", part("/prefix", "/"), modified),
    ]);
    await gateway.load(program);
    const rows = [
      ["/prefix/one/two", "/one/two"],
      ["/prefix/one", "/one"],
      ["/strip-prefix/three", "/three"],
      ["/strip-prefix", "/"],
      ["/full/one/two", "/one"],
      ["/full/one/two?q=1&q=%zz", "/one?q=1&q=%zz"],
      ["/full/rewrite-path-and-modify-headers/test", "/test"],
      ["/prefix/rewrite-path-and-modify-headers/one", "/rewrite-path-and-modify-headers/one"],
    ] as const;
    for (const [path, url] of rows) {
      const sent = { "X-Header-Remove": "remove-val", "X-Header-Add": "add-val", "X-Header-Set": "set-val" };
      const { echo } = await send(gateway.port, program, { path, headers: sent });
      expect(echo.url, path).toBe(url);
      const isModified = path.includes("modify-headers");
      expect(valuesOf(echo, "x-header-remove")).toEqual(isModified ? [] : ["remove-val"]);
      expect(valuesOf(echo, "x-header-set")).toEqual([isModified ? "set-overwrites-values" : "set-val"]);
      expect(valuesOf(echo, "x-header-add")).toEqual(
        isModified ? ["add-val", "add-appends-values"] : ["add-val"],
      );
    }
  });

  test("HTTPRouteRewriteHost", async () => {
    const program = programOf([
      at("/one", { rewriteHostname: "one.example.org", backend: target("v1") }),
      at("/both", {
        rewriteHostname: "two.example.org",
        rewritePath: { type: "full", path: "/new" },
        requestHeaders: changes({ add: { "X-Header-Add": "value" } }),
        backend: target("v2"),
      }),
      { backend: target("v3") },
    ]);
    await gateway.load(program);
    const rows = [
      ["/one", "one.example.org", "/one"],
      ["/both", "two.example.org", "/new"],
      ["/two", hostOf(program.gateway), "/two"],
    ] as const;
    for (const [path, host, url] of rows) {
      const { echo } = await send(gateway.port, program, { path });
      expect([valuesOf(echo, "host"), echo.url]).toEqual([[host], url]);
    }
  });
});

describe.concurrent("redirects", () => {
  /** `HOST` stands for the gateway's own hostname, `PORT` for the port that the client used. */
  type Row = readonly [sent: string, redirect: Partial<Redirect>, status: number, location: string];
  const full = (path: string): PathChange => ({ type: "full", path });
  const part = (prefix: string, replacement: string): PathChange => ({ type: "prefix", prefix, replacement });

  const cases: readonly (readonly [name: string, rows: readonly Row[]])[] = [
    [
      "HTTPRouteRedirectHostAndStatus",
      [
        ["/hostname-redirect", { hostname: "example.org" }, 302, "http://example.org/hostname-redirect"],
        ["/status", { hostname: "example.org", statusCode: 301 }, 301, "http://example.org/status"],
        ["/only-status", { statusCode: 301 }, 301, "http://HOST:PORT/only-status"],
      ],
    ],
    [
      "HTTPRouteRedirectPath",
      [
        [
          "/original-prefix/lemon",
          { path: part("/original-prefix", "/replacement-prefix") },
          302,
          "http://HOST:PORT/replacement-prefix/lemon",
        ],
        ["/original-prefix", { path: part("/original-prefix", "") }, 302, "http://HOST:PORT/"],
        ["/original-prefix/a?b=c", { path: part("/original-prefix", "/") }, 302, "http://HOST:PORT/a?b=c"],
        [
          "/full/path/original",
          { path: full("/full-path-replacement") },
          302,
          "http://HOST:PORT/full-path-replacement",
        ],
        ["/full?a=1&b=%2f%zz", { path: full("/new") }, 302, "http://HOST:PORT/new?a=1&b=%2f%zz"],
        [
          "/path-and-host",
          { path: part("/path-and-host", "/replacement-prefix"), hostname: "example.org" },
          302,
          "http://example.org/replacement-prefix",
        ],
        [
          "/path-and-status",
          { path: part("/path-and-status", "/replacement-prefix"), statusCode: 301 },
          301,
          "http://HOST:PORT/replacement-prefix",
        ],
        [
          "/full-path-and-host",
          { path: full("/replacement-full"), hostname: "example.org" },
          302,
          "http://example.org/replacement-full",
        ],
      ],
    ],
    [
      "HTTPRouteRedirectScheme",
      [
        ["/scheme", { scheme: "https" }, 302, "https://HOST/scheme"],
        ["/scheme?a=b", { scheme: "https" }, 302, "https://HOST/scheme?a=b"],
        [
          "/scheme-and-host",
          { scheme: "https", hostname: "example.org" },
          302,
          "https://example.org/scheme-and-host",
        ],
        ["/scheme-and-status", { scheme: "https", statusCode: 301 }, 301, "https://HOST/scheme-and-status"],
        ["/same-scheme", { scheme: "http" }, 302, "http://HOST/same-scheme"],
      ],
    ],
    [
      "HTTPRouteRedirectPort",
      [
        ["/port", { port: 8083 }, 302, "http://HOST:8083/port"],
        [
          "/port-and-host",
          { port: 8083, hostname: "example.org" },
          302,
          "http://example.org:8083/port-and-host",
        ],
        ["/port-and-status", { port: 8083, statusCode: 301 }, 301, "http://HOST:8083/port-and-status"],
        ["/scheme-and-port", { scheme: "https", port: 8443 }, 302, "https://HOST:8443/scheme-and-port"],
        ["/own-port-http", { scheme: "http", port: 80 }, 302, "http://HOST/own-port-http"],
        ["/own-port-https", { scheme: "https", port: 443 }, 302, "https://HOST/own-port-https"],
        ["/other-port", { scheme: "http", port: 443 }, 302, "http://HOST:443/other-port"],
        ["/no-scheme", { port: 80 }, 302, "http://HOST/no-scheme"],
      ],
    ],
    ...([303, 307, 308] as const).map((statusCode): (typeof cases)[number] => [
      `HTTPRoute${statusCode}Redirect`,
      [["/code", { hostname: "example.org", statusCode }, statusCode, "http://example.org/code"]],
    ]),
  ];

  test.each(cases)("%s", async (_, rows) => {
    const program = programOf(
      rows.map(([sent, redirect]) =>
        at(sent.split("?")[0] === "/original-prefix/lemon" ? sent : (sent.split("?")[0] ?? ""), {
          redirect: { statusCode: 302, ...redirect },
        }),
      ),
    );
    await gateway.load(program);
    for (const [path, , status, location] of rows) {
      for (const method of ["GET", "POST"]) {
        const host = `${hostOf(program.gateway)}:${gateway.port}`;
        const answer = await send(gateway.port, program, { path, method, host });
        const expected = location.replace("HOST:PORT", host).replace("HOST", hostOf(program.gateway));
        expect([answer.status, answer.headers["location"], answer.text]).toEqual([status, expected, ""]);
      }
    }
  });

  test("over HTTPS the scheme stays HTTPS", async () => {
    const program = programOf([
      at("/host", { redirect: { hostname: "example.org", statusCode: 302 } }),
      at("/http", { redirect: { scheme: "http", statusCode: 302 } }),
      at("/443", { redirect: { port: 443, statusCode: 302 } }),
      { redirect: { path: { type: "full", path: "/new" }, statusCode: 302 } },
    ]);
    await gateway.load(program);
    const serverName = hostOf(program.gateway);
    const rows = [
      ["/host", "https://example.org/host"],
      ["/http", `http://${serverName}/http`],
      ["/443", `https://${serverName}/443`],
      ["/other", `https://${serverName}/new`],
    ] as const;
    for (const [path, location] of rows) {
      const bytes = `GET ${path} HTTP/1.1\r\nHost: ${serverName}\r\nConnection: close\r\n\r\n`;
      const { text } = await rawHttp(gateway.tlsPort, bytes, { serverName });
      expect(/^location: (.*)\r$/im.exec(text)?.[1]).toBe(location);
    }
  });

  test("nothing of a request adds a header to the response", async () => {
    const program = programOf([{ redirect: { scheme: "https", statusCode: 302 } }]);
    await gateway.load(program);
    const path = "/%0d%0aX-Injected:%201?a=%0d%0aX-Injected:%201";
    const { headers: got } = await send(gateway.port, program, { path });
    expect(got["x-injected"]).toBeUndefined();
    expect(got["location"]).toBe(
      `https://${hostOf(program.gateway)}/%0D%0AX-Injected:%201?a=%0d%0aX-Injected:%201`,
    );
  });
});

describe.concurrent("timeouts", () => {
  // One limit stands for both: the gateway sends each request to a backend once.
  test.each(["HTTPRouteTimeoutRequest", "HTTPRouteTimeoutBackendRequest"])("%s", async () => {
    const slow = (path: string, timeoutMs: number): RuleParts =>
      at(path, {
        timeoutMs,
        rewritePath: { type: "prefix", prefix: path, replacement: "/slow" },
        backend: target("v1"),
      });
    await expectRoutes(
      programOf([slow("/timeout", 1_000), slow("/disabled", 0), { backend: target("v1") }]),
      [
        ["/", "v1"],
        ["/timeout/1", "v1"],
        ["/timeout/3000", 504],
        ["/disabled/1500", "v1"],
        ["/slow/1500", "v1"],
      ],
    );
  });
});

test.concurrent("HTTPRouteBackendProtocolWebSocket", async () => {
  const program = programOf([{ backend: target("v2") }]);
  await gateway.load(program);
  const handshake = [
    "GET /socket HTTP/1.1",
    `Host: ${hostOf(program.gateway)}`,
    "Connection: keep-alive, Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    "\r\n",
  ].join("\r\n");
  const frame = writeFrame(textFrame, Buffer.from("hello"), Buffer.from([1, 2, 3, 4]));
  const { text } = await rawHttp(gateway.port, [handshake, frame], { enough: (so) => so.endsWith("hello") });
  expect(statusesIn(text)).toEqual([101]);
  expect(text).toMatch(/^sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r$/im);
  const echoed = readFrame(Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4), "latin1"));
  expect(echoed?.payload.toString()).toBe("hello");
});
