import { expect, test } from "vitest";
import type { BackendTarget, RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { type GatewayAnswer, send, valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { createAuthority } from "../../support/net/certificates.ts";
import { setUpAll } from "../../support/set-up.ts";

let gateway: RunningGateway;
let trusted: GatewayBackend;
let unknown: GatewayBackend;
let byAddress: GatewayBackend;
let programs: Record<
  "own" | "wild" | "rewritten" | "other" | "unknown" | "plain" | "reversed" | "address" | "both",
  RouteProgram
>;

setUpAll(async ({ keep }) => {
  gateway = await keep(startGateway());
  const names = ["backend.localhost", "*.wild.localhost"];
  trusted = await keep(startGatewayBackend({ tls: gateway.authority.issue(names) }));
  unknown = await keep(startGatewayBackend({ tls: createAuthority().issue(names) }));
  byAddress = await keep(startGatewayBackend({ tls: gateway.authority.issue() }));
  const rule = (backend: BackendTarget, more: Partial<RuleParts> = {}): RuleParts => ({ ...more, backend });
  const https = (host: string, port: number): BackendTarget => ({ scheme: "https", host, port });
  const { tlsPort } = trusted;
  programs = {
    own: programOf([rule(https("backend.localhost", tlsPort))]),
    wild: programOf([rule(https("any.wild.localhost", tlsPort))]),
    rewritten: programOf([rule(https("backend.localhost", tlsPort), { rewriteHostname: "inner.example" })]),
    other: programOf([rule(https("other.localhost", tlsPort), { rewriteHostname: "backend.localhost" })]),
    unknown: programOf([rule(https("backend.localhost", unknown.tlsPort))]),
    plain: programOf([rule(https("backend.localhost", trusted.port))]),
    reversed: programOf([rule({ ...https("backend.localhost", tlsPort), scheme: "http" })]),
    address: programOf([rule(https("127.0.0.1", byAddress.tlsPort))]),
    both: programOf([
      rule(https("other.localhost", tlsPort), {
        matches: [{ path: { type: "PathPrefix", value: "/other" } }],
      }),
      rule(https("backend.localhost", tlsPort)),
    ]),
  };
  await gateway.load(...Object.values(programs));
});

const ask = (name: keyof typeof programs, path = "/"): Promise<GatewayAnswer> =>
  send(gateway.port, programs[name], { path });

test("a certificate for the backend's name is accepted, and the name is in SNI", async () => {
  const { status, echo } = await ask("own", "/path");
  expect([status, echo.url, echo.serverName]).toEqual([200, "/path", "backend.localhost"]);
});

test("a wildcard certificate is accepted", async () => {
  expect((await ask("wild")).echo.serverName).toBe("any.wild.localhost");
});

test("a rewritten Host changes neither SNI nor what is verified", async () => {
  const { echo } = await ask("rewritten");
  expect([echo.serverName, valuesOf(echo, "host")]).toEqual(["backend.localhost", ["inner.example"]]);
});

test.concurrent.each([
  ["a certificate for another name", "other"],
  ["a certificate of an unknown authority", "unknown"],
  ["a backend without TLS", "plain"],
] as const)("%s: 503, and no request arrives", async (_, name) => {
  const backend = name === "unknown" ? unknown : trusted;
  const path = `/${name}`;
  const { status, text } = await ask(name, path);
  expect([status, text]).toEqual([503, "the backend does not respond\n"]);
  expect(backend.received.filter(({ url }) => url === path)).toEqual([]);
});

test("HTTP to a backend with TLS: an error", async () => {
  expect([400, 502]).toContain((await ask("reversed")).status);
});

test("a verified session does not vouch for another name at the same address", async () => {
  for (let count = 0; count < 3; count++) expect((await ask("both")).status).toBe(200);
  expect((await ask("both", "/other")).status).toBe(503);
  expect((await ask("both")).status).toBe(200);
});

test("an address: 503, since HAProxy verifies names only; the text and the report say so", async () => {
  const { status, text } = await ask("address");
  const reason = "the backend's certificate cannot be verified: its endpoint is an address, not a host name";
  expect([status, text]).toEqual([503, `${reason}\n`]);
  expect(byAddress.requests).toBe(0);
  expect(gateway.programs.reports.get(programs.address.gateway)?.blocked).toEqual({
    "https://127.0.0.1": expect.stringContaining("use the one that the certificate has"),
  });
});
