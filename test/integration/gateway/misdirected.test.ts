import { connect } from "node:tls";
import { expect, test } from "vitest";
import type { Json, JsonObject } from "../../../src/kube-server/api/object.ts";
import { objectKey } from "../../../src/kube-server/store/keys.ts";
import { routesOfGateway } from "../../../src/platform/controllers/gateway/route-parents.ts";
import { routeProgram } from "../../../src/platform/controllers/gateway/route-programs.ts";
import { endpointSliceKind } from "../../../src/platform/kinds/discovery/endpoint-slice.ts";
import { gatewayKind } from "../../../src/platform/kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../../src/platform/kinds/gateway/http-route.ts";
import { Granted } from "../../../src/platform/kinds/gateway/reference-grant.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { toSlice } from "../../support/gateway/route-manifest.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { admitted, objectOf } from "../../support/plane/admission.ts";
import { setUpAll } from "../../support/set-up.ts";

/** Connections for one listener of a Gateway (SNI), with requests for another one's hosts. */
let gateway: RunningGateway;
let program: RouteProgram;
const backends: GatewayBackend[] = [];

const held = ["example.org", "second-example.org", "*.wildcard.org", "fourth-example.wildcard.org"];
const isHeld = new Map(held.map((name) => [name, { kind: "held" } as const]));

/** A listener for HTTPS, and the route that only it takes. */
interface Parts {
  readonly name: string;
  readonly hostname?: string;
  readonly hostnames?: readonly string[];
  readonly to: string;
}

// As in the conformance suite.
const listeners: readonly Parts[] = [
  { name: "https", hostnames: ["example.org"], to: "v1" },
  { name: "https-with-wildcard-hostname", hostname: "*.wildcard.org", to: "v3" },
  { name: "https-with-hostname", hostname: "second-example.org", to: "v2" },
  { name: "https-with-hostname-matching-wildcard", hostname: "fourth-example.wildcard.org", to: "v1" },
];

function programOfListeners(parts: readonly Parts[], isAttachedToAll = false): RouteProgram {
  const tls = { options: { "gateway.networking.example/certificate-issuer": "auto" } };
  const object = objectOf(gatewayKind("example"), "g", {
    metadata: { uid: programOf([]).gateway },
    spec: {
      listeners: [
        { name: "http", port: 80, protocol: "HTTP" },
        ...parts.map(({ name, hostname }) => ({
          ...{ name, port: 443, protocol: "HTTPS", tls },
          ...(hostname === undefined ? {} : { hostname }),
        })),
      ],
    },
  });
  const slices = backends.map(({ name, port }) => ({ name, port, addresses: ["127.0.0.1"] }));
  const routes = parts.map(({ name, hostnames = [], to }) => {
    const slice = slices.find((each) => each.name === to);
    const spec: JsonObject = {
      parentRefs: [{ name: "g", ...(isAttachedToAll ? {} : { sectionName: name }) }],
      ...(hostnames.length === 0 || isAttachedToAll ? {} : { hostnames: [...hostnames] }),
      rules: [{ backendRefs: slice === undefined ? [] : [toSlice(slice)] }] as Json,
    };
    return admitted(objectOf(httpRouteKind, `route-${name}`, { spec }), httpRouteKind);
  });
  return routeProgram({
    plane: { type: "project", name: "web", uid: "web-uid", organization: "acme" },
    gateway: object,
    routes: routesOfGateway(object, routes, isHeld),
    hostnames: isHeld,
    backends: {
      slices: new Map(
        slices.map(({ name, port, addresses }) => [
          objectKey(endpointSliceKind, "default", name),
          objectOf(endpointSliceKind, name, {
            addressType: "IPv4",
            endpoints: [{ addresses }],
            ports: [{ port }],
          }),
        ]),
      ),
      granted: new Granted([]),
    },
    ownRanges: [],
  });
}

setUpAll(async ({ keep }) => {
  for (const name of ["v1", "v2", "v3"]) backends.push(await keep(startGatewayBackend({ name })));
  gateway = await keep(startGateway());
  program = programOfListeners(listeners);
  await gateway.load(program);
});

/** The status, and the backend that responded. */
function ask(servername: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port: gateway.tlsPort, servername, rejectUnauthorized: false };
    const socket = connect(options);
    let text = "";
    socket.on("error", reject);
    socket.on("data", (data) => {
      text += data.toString("latin1");
    });
    socket.on("end", () => {
      socket.destroy();
      const status = text.split(" ")[1] ?? "";
      resolve([status, ...(/"name":"(v\d)"/.exec(text)?.slice(1) ?? [])].join(" "));
    });
    socket.write(`GET /detect HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
}

/** Named as in the conformance suite of the Gateway API. */
test.each([
  ["example.org", "example.org", "200 v1"],
  ["example.org", "second-example.org", "421"],
  ["example.org", "unknown-example.org", "404"],
  ["second-example.org", "second-example.org", "200 v2"],
  ["second-example.org", "example.org", "421"],
  ["second-example.org", "unknown-example.org", "421"],
  ["third-example.wildcard.org", "third-example.wildcard.org", "200 v3"],
  ["third-example.wildcard.org", "fith-example.wildcard.org", "200 v3"],
  ["third-example.wildcard.org", "fourth-example.wildcard.org", "421"],
  ["third-example.wildcard.org", "second-example.org", "421"],
  ["third-example.wildcard.org", "unknown-example.org", "421"],
  ["fourth-example.wildcard.org", "fourth-example.wildcard.org", "200 v1"],
  ["fourth-example.wildcard.org", "fith-example.wildcard.org", "421"],
  ["unknown-example.org", "example.org", "200 v1"],
  ["unknown-example.org", "unknown-example.org", "404"],
  // Names are compared without case, the root's dot and the port.
  ["SECOND-example.org", "second-Example.org.:443", "200 v2"],
  // A client that names no host.
  ["", "second-example.org", "200 v2"],
])("HTTPRouteHTTPSListenerDetectMisdirectedRequests: SNI %s, Host %s: %s", async (sni, host, expected) => {
  expect(await ask(sni, host)).toBe(expected);
});

test("without TLS, there is no other listener", async () => {
  const { status } = await send(gateway.port, program, { host: "second-example.org" });
  // The listener for HTTP takes none of the routes.
  expect(status).toBe(404);
});

test("listeners that take the same routes are not distinguished", async () => {
  const same = programOfListeners(
    [
      { name: "https", to: "v1" },
      { name: "second", hostname: "second-example.org", to: "v2" },
    ],
    true,
  );
  expect(same.tlsListeners).toBeUndefined();
  await gateway.unload(program.gateway);
  await gateway.load(same);
  expect(await ask("example.org", "second-example.org")).toBe("200 v1");
  expect(await ask("second-example.org", "example.org")).toBe("200 v1");
  expect(await ask("second-example.org", "unknown-example.org")).toBe("421");
  await gateway.unload(same.gateway);
  await gateway.load(program);
});
