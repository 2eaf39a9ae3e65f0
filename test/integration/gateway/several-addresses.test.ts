import { expect, test } from "vitest";
import type { BackendTarget } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** Backends with several addresses, of which some are dead. */
let gateway: RunningGateway;
let first: GatewayBackend;
let other: GatewayBackend;
/** Nothing listens there. */
const dead = "127.0.0.3";
const addresses = new Map([["two.example", [dead, "127.0.0.1"]]]);
const isLinux = process.platform === "linux";

setUpAll(async ({ keep }) => {
  first = await keep(startGatewayBackend({ name: "first" }));
  other = await keep(startGatewayBackend({ name: "other" }));
  gateway = await keep(
    startGateway({
      allow: ["127.0.0.0/8"],
      lookup: async (name) => (addresses.get(name) ?? []).map((address) => ({ address, family: 4 as const })),
    }),
  );
});

const to = (host: string, ...others: string[]): BackendTarget => ({
  ...{ scheme: "http", host, port: first.port },
  ...(others.length === 0 ? {} : { others }),
});

test.runIf(isLinux).each([
  ["a name", () => to("two.example")],
  ["endpoints of a slice, the first of them dead", () => to(dead, "127.0.0.1")],
  ["endpoints of a slice, the last of them dead", () => to("127.0.0.1", dead)],
  ["endpoints of a slice, one of them forbidden", () => to("169.254.1.1", dead, "127.0.0.1")],
])("a dead address costs no request: %s", async (_, target) => {
  // Two rules with one backend share its servers.
  const program = programOf([
    { matches: [{ path: { type: "Exact", value: "/one" } }], backend: target() },
    { backend: target() },
  ]);
  await gateway.load(program);
  for (const path of ["/one", "/a", "/b", "/one", "/c", "/d"]) {
    const { status, echo } = await send(gateway.port, program, { path });
    expect([status, echo.name]).toEqual([200, "first"]);
  }
});

test.runIf(isLinux)("beside another backend: the next address is used, never the other backend", async () => {
  const program = programOf([
    { matches: [{ path: { type: "PathPrefix", value: "/two" } }], backend: to("two.example") },
    {
      matches: [{ path: { type: "PathPrefix", value: "/dead" } }],
      backend: to(dead, "127.0.0.4"),
    },
    { backend: { scheme: "http", host: "127.0.0.1", port: other.port } },
  ]);
  await gateway.load(program);
  await until("a dead address is left out", async () => {
    return (await send(gateway.port, program, { path: "/two" })).status === 200;
  });
  const served = async (path: string): Promise<string | number> => {
    const answer = await send(gateway.port, program, { path });
    return answer.status === 200 ? answer.echo.name : answer.status;
  };
  expect([await served("/two"), await served("/else"), await served("/dead")]).toEqual([
    "first",
    "other",
    503,
  ]);
  expect(other.received.map(({ url }) => url)).toEqual(["/else"]);
});
