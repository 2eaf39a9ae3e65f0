import { expect, test } from "vitest";
import type { JsonObject } from "../../../src/kube-server/api/object.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOfManifest } from "../../support/gateway/route-manifest.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** HTTPRoutes whose rules have several backends, in a running HAProxy. */
let gateway: RunningGateway;
let a: GatewayBackend;
let b: GatewayBackend;
const isLinux = process.platform === "linux";

setUpAll(async ({ keep }) => {
  a = await keep(startGatewayBackend({ name: "a" }));
  b = await keep(startGatewayBackend({ name: "b" }));
  // On the port of `a`, at another address.
  if (isLinux) await keep(startGatewayBackend({ name: "a2", host: "127.0.0.2", port: a.port }));
  gateway = await keep(startGateway({ allow: ["127.0.0.0/8"] }));
});

function routeWith(rule: JsonObject): RouteProgram {
  const slice = (name: string, port: number, addresses: string[]) => ({ name, port, addresses });
  return programOfManifest(
    [rule],
    [
      slice("a", a.port, ["127.0.0.1"]),
      slice("b", b.port, ["127.0.0.1"]),
      slice("a-twice", a.port, ["127.0.0.1", "127.0.0.2"]),
      slice("a-dead", a.port, ["127.0.0.3", "127.0.0.1"]),
      slice("none", a.port, []),
    ],
  );
}

const to = (name: string, weight?: number, more: JsonObject = {}): JsonObject => ({
  ...{ group: "discovery.k8s.io", kind: "EndpointSlice", name, port: name === "b" ? b.port : a.port },
  ...(weight === undefined ? {} : { weight }),
  ...more,
});

/** How often each backend, or else each status, responded. */
async function served(program: RouteProgram, requests: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let sent = 0; sent < requests; sent += 20) {
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(gateway.port, program)));
    for (const { status, echo } of responses.map((each) => ({
      status: each.status,
      echo: each.status === 200 ? each.echo : undefined,
    }))) {
      const who = echo?.name ?? String(status);
      counts[who] = (counts[who] ?? 0) + 1;
    }
  }
  return counts;
}

const requests = 400;

test.each<[what: string, rule: () => JsonObject, shares: Record<string, number>]>([
  ["90 to 10", () => ({ backendRefs: [to("a", 90), to("b", 10)] }), { a: 0.9, b: 0.1 }],
  ["no weight is 1", () => ({ backendRefs: [to("a"), to("b")] }), { a: 0.5, b: 0.5 }],
  ["0 takes nothing", () => ({ backendRefs: [to("a", 0), to("b", 3)] }), { b: 1 }],
  ["all are 0", () => ({ backendRefs: [to("a", 0), to("b", 0)] }), { 500: 1 }],
  [
    "the largest weights",
    () => ({ backendRefs: [to("a", 1_000_000), to("b", 1_000_000)] }),
    { a: 0.5, b: 0.5 },
  ],
  [
    "one that does not exist takes its share as 500",
    () => ({ backendRefs: [to("a", 2), to("missing", 2)] }),
    { a: 0.5, 500: 0.5 },
  ],
  [
    "one of another kind as 500, one without endpoints as 503",
    () => ({ backendRefs: [to("a", 2), { name: "svc", port: 80 }, to("none", 1)] }),
    { a: 0.5, 500: 0.25, 503: 0.25 },
  ],
  ["a backend twice", () => ({ backendRefs: [to("a"), to("b"), to("a")] }), { a: 2 / 3, b: 1 / 3 }],
])("requests are shared by weight: %s", async (_, rule, shares) => {
  const program = routeWith(rule());
  await gateway.load(program);
  const counts = await served(program, requests);
  expect(Object.keys(counts).sort()).toEqual(Object.keys(shares).sort());
  for (const [who, share] of Object.entries(shares)) {
    // Six standard deviations: one run of some hundred million fails by chance.
    const most = 6 * Math.sqrt(requests * share * (1 - share));
    expect(Math.abs((counts[who] ?? 0) - requests * share), who).toBeLessThanOrEqual(most);
  }
});

test("filters of a backend apply to its share only", async () => {
  const filters = [
    { type: "ResponseHeaderModifier", responseHeaderModifier: { set: [{ name: "x-share", value: "b" }] } },
    { type: "RequestHeaderModifier", requestHeaderModifier: { set: [{ name: "x-to", value: "b" }] } },
  ];
  const program = routeWith({ backendRefs: [to("a"), to("b", 1, { filters })] });
  await gateway.load(program);
  const seen = new Set<string>();
  for (let sent = 0; sent < 60; sent++) {
    const { headers, echo } = await send(gateway.port, program);
    const got = echo.headers.find(([name]) => name.toLowerCase() === "x-to")?.[1];
    seen.add(`${echo.name} ${headers["x-share"]} ${got}`);
  }
  expect([...seen].sort()).toEqual(["a undefined undefined", "b b b"]);
});

test.runIf(isLinux)(
  "all endpoints of a backend share its requests, and one that fails is left out",
  async () => {
    const program = routeWith({ backendRefs: [to("a-twice"), to("b")] });
    await gateway.load(program);
    const counts = await served(program, requests);
    for (const [who, share] of Object.entries({ a: 0.25, a2: 0.25, b: 0.5 })) {
      const most = 6 * Math.sqrt(requests * share * (1 - share));
      expect(Math.abs((counts[who] ?? 0) - requests * share), who).toBeLessThanOrEqual(most);
    }
    const withDead = routeWith({ backendRefs: [to("a-dead"), to("b")] });
    await gateway.load(withDead);
    await until("the dead endpoint is left out", async () => (await served(withDead, 20))[503] === undefined);
    expect(Object.keys(await served(withDead, 100)).sort()).toEqual(["a", "b"]);
  },
);
