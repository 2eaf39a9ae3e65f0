import "../../support/leak-check.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routesOfGateway } from "../../../src/platform/controllers/gateway/route-parents.ts";
import { routeProgram } from "../../../src/platform/controllers/gateway/route-programs.ts";
import { gatewayKind } from "../../../src/platform/kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../../src/platform/kinds/gateway/http-route.ts";
import { Granted } from "../../../src/platform/kinds/gateway/reference-grant.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { admitted, objectOf } from "../../support/plane/admission.ts";

/**
 * A request is the most specific listener's only: Gateway API, "listener isolation", with the table of its
 * conformance test GatewayHTTPListenerIsolation and others.
 */

let gateway: RunningGateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => await gateway[Symbol.asyncDispose]());

const hostnames = [undefined, "*.example.com", "*.foo.example.com", "abc.foo.example.com"];
const held = new Map(
  [...hostnames, "a.example.com", "x.foo.example.com"].flatMap((name) => {
    return name === undefined ? [] : [[name, { kind: "held" } as const]];
  }),
);
const nameOf = (hostname: string | undefined) =>
  hostname?.replace("*", "any").replaceAll(".", "-") ?? "empty";

/** A route for each listener, which redirects to `/<path>`; `more` are attached to listeners by name. */
function isolated(
  listeners: readonly (string | undefined)[],
  more: readonly { sectionName?: string; path: string; hostnames?: string[] }[] = [],
): RouteProgram {
  const object = objectOf(gatewayKind("example"), "g", {
    metadata: { uid: programOf([]).gateway },
    spec: {
      listeners: listeners.map((hostname) => ({
        ...{ name: nameOf(hostname), port: 80, protocol: "HTTP" },
        ...(hostname === undefined ? {} : { hostname }),
      })),
    },
  });
  const each = listeners.map((hostname) => ({
    ...{ sectionName: nameOf(hostname), path: nameOf(hostname), hostnames: [] as string[] },
  }));
  const routes = [...each, ...more].map(({ sectionName, path, hostnames: own = [] }, index) => {
    const location = { path: { type: "ReplaceFullPath", replaceFullPath: `/${path}` } };
    const filters = [{ type: "RequestRedirect", requestRedirect: location }];
    const spec = {
      parentRefs: [{ name: "g", ...(sectionName === undefined ? {} : { sectionName }) }],
      ...(own.length === 0 ? {} : { hostnames: own }),
      rules: [{ matches: [{ path: { type: "PathPrefix", value: `/${path}` } }], filters }],
    };
    return admitted(objectOf(httpRouteKind, `r${index}`, { spec }), httpRouteKind);
  });
  return routeProgram({
    plane: { type: "project", name: "web", uid: "web-uid", organization: "acme" },
    gateway: object,
    routes: routesOfGateway(object, routes, held),
    hostnames: held,
    ...{ backends: { slices: new Map(), granted: new Granted([]) }, ownRanges: [] },
  });
}

/** The paths of those that a host's requests get a response for. */
async function servedOn(program: RouteProgram, host: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) {
    const { status } = await send(gateway.port, program, { host, path: `/${path}` });
    if (status === 302) found.push(path);
  }
  return found;
}

test("each hostname is served by one listener, and by the routes of no other", async () => {
  const program = isolated(hostnames);
  await gateway.load(program);
  const paths = hostnames.map(nameOf);
  const table = [
    ["abc.foo.example.com", "abc-foo-example-com"],
    ["x.foo.example.com", "any-foo-example-com"],
    ["y.x.foo.example.com", "any-foo-example-com"],
    ["foo.example.com", "any-example-com"],
    ["a.example.com", "any-example-com"],
    [hostOf(program.gateway), "empty"],
  ] as const;
  for (const [host, expected] of table) {
    expect([host, await servedOn(program, host, paths)]).toEqual([host, [expected]]);
  }
  await gateway.unload(program.gateway);
});

test("a route's hostname is taken by the most specific listener that it is attached to", async () => {
  const program = isolated(
    ["*.example.com", "*.foo.example.com"],
    [
      // Its only hostname is another listener's.
      { sectionName: "any-example-com", path: "elsewhere", hostnames: ["x.foo.example.com"] },
      // Attached to both.
      { path: "both", hostnames: ["x.foo.example.com", "a.example.com"] },
      { path: "wide", hostnames: ["*.example.com"] },
      { sectionName: "any-example-com", path: "narrow", hostnames: ["*.example.com"] },
    ],
  );
  await gateway.load(program);
  const paths = ["elsewhere", "both", "wide", "narrow"];
  const table = [
    ["x.foo.example.com", ["both", "wide"]],
    ["a.example.com", ["both", "wide", "narrow"]],
    ["b.example.com", ["wide", "narrow"]],
  ] as const;
  for (const [host, expected] of table) {
    expect([host, await servedOn(program, host, paths)]).toEqual([host, expected]);
  }
  await gateway.unload(program.gateway);
});

test("a route of all listeners needs no conditions on the host", () => {
  const program = isolated([undefined, "a.example.com"], [{ path: "all" }]);
  const match = program.matches.find(({ path }) => path.value === "/all");
  expect([match?.host, match?.exceptHosts]).toEqual([undefined, undefined]);
});
