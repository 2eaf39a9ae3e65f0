import { connect } from "node:tls";
import { describe, expect, test } from "vitest";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { setUpAll } from "../../support/set-up.ts";

/** Programs with hostnames besides their own, in a running HAProxy. */
let gateway: RunningGateway;
let backend: GatewayBackend;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
});

/** Programs that say who they are: by the Host that the backend gets. */
const named = (name: string, rule: Partial<RuleParts> = {}): RuleParts =>
  ({
    rewriteHostname: name,
    backend: { scheme: "http", host: "127.0.0.1", port: backend.port },
    ...rule,
  }) as RuleParts;

async function servedBy(program: RouteProgram, host: string, path = "/"): Promise<string | number> {
  const { status, echo } = await send(gateway.port, program, { host, path }).then((answer) => ({
    status: answer.status,
    echo: answer.status === 200 ? answer.echo : undefined,
  }));
  return echo?.headers.find(([name]) => name.toLowerCase() === "host")?.[1] ?? status;
}

const table = (program: RouteProgram, hosts: readonly string[]) =>
  Promise.all(hosts.map(async (host) => `${host} ${await servedBy(program, host)}`));

describe.each([
  ["plain programs", {}],
  // A header of the response makes a section of it.
  [
    "programs with a section",
    { responseHeaders: [{ set: [{ name: "x-a", value: "b" }], add: [], remove: [] }] },
  ],
])("hostnames of %s", (_, more) => {
  test("the whole name decides, then the longest wildcard", async () => {
    const one = programOf([named("one", more)], { hostnames: ["a.example.com", "*.example.com"] });
    const two = programOf([named("two", more)], { hostnames: ["b.example.com", "*.c.example.com"] });
    await gateway.load(one, two);
    expect(
      await table(one, [
        ...["a.example.com", "A.Example.com:8080", "b.example.com", "x.example.com", "x.y.example.com"],
        ...["c.example.com", "x.c.example.com", "1.2.3.4.5.6.7.c.example.com", "example.com", "xexample.com"],
        "1.2.3.4.5.6.7.8.9.10.11.c.example.com",
        ...[hostOf(one.gateway), hostOf(two.gateway)],
      ]),
    ).toEqual([
      ...["a.example.com one", "A.Example.com:8080 one", "b.example.com two"],
      ...["x.example.com one", "x.y.example.com one", "c.example.com one", "x.c.example.com two"],
      ...["1.2.3.4.5.6.7.c.example.com two", "example.com 404", "xexample.com 404"],
      "1.2.3.4.5.6.7.8.9.10.11.c.example.com 404",
      ...[`${hostOf(one.gateway)} one`, `${hostOf(two.gateway)} two`],
    ]);
    await gateway.unload(one.gateway);
    await gateway.unload(two.gateway);
  });

  test("edits and deletions take effect, and a hostname moves from one program to another", async () => {
    const first = programOf([named("first", more)], { hostnames: ["m.example.org", "n.example.org"] });
    const second = programOf([named("second", more)]);
    await gateway.load(first, second);
    expect(await table(first, ["m.example.org", "n.example.org"])).toEqual([
      ...["m.example.org first", "n.example.org first"],
    ]);
    // The program that takes it may be loaded together with the one that drops it.
    await gateway.load(
      { ...second, hostnames: ["n.example.org"] },
      { ...first, hostnames: ["m.example.org"] },
    );
    expect(await table(first, ["m.example.org", "n.example.org"])).toEqual([
      ...["m.example.org first", "n.example.org second"],
    ]);
    await gateway.unload(first.gateway);
    expect(await table(first, ["m.example.org", "n.example.org"])).toEqual([
      ...["m.example.org 404", "n.example.org second"],
    ]);
    await gateway.unload(second.gateway);
    expect(await table(first, ["n.example.org"])).toEqual(["n.example.org 404"]);
  });
});

test("plain programs get hostnames without a load", async () => {
  const program = programOf([named("plain")], { hostnames: ["one.example.net"] });
  await gateway.load(program);
  const loads = await gateway.loads();
  await gateway.load({ ...program, hostnames: ["two.example.net", "*.three.example.net"] });
  expect(await table(program, ["one.example.net", "two.example.net", "x.three.example.net"])).toEqual([
    ...["one.example.net 404", "two.example.net plain", "x.three.example.net plain"],
  ]);
  expect(await gateway.loads()).toBe(loads);
});

test("routes of one gateway by hostname", async () => {
  const program = programOf(
    [
      named("exact", { matches: [{ host: "a.example.edu", path: { type: "PathPrefix", value: "/a" } }] }),
      named("wildcard", { matches: [{ host: "*.example.edu" }] }),
      named("every", { matches: [{ path: { type: "Exact", value: "/every" } }] }),
    ],
    { hostnames: ["a.example.edu", "*.example.edu"] },
  );
  await gateway.load(program);
  const served = (host: string, path: string) => servedBy(program, host, path);
  expect([
    await served("a.example.edu", "/a"),
    await served("a.example.edu", "/b"),
    await served("b.example.edu", "/a"),
    await served(hostOf(program.gateway), "/every"),
    await served(hostOf(program.gateway), "/"),
  ]).toEqual(["exact", "wildcard", "wildcard", "every", 404]);
});

test("a version that is not accepted keeps no hostname that the newest one does not have", async () => {
  const program = programOf([named("held")], { hostnames: ["kept.example.io", "lost.example.io"] });
  await gateway.load(program);
  const refused = { ...program, hostnames: ["kept.example.io"], matches: tooMany(program) };
  await gateway.load(refused);
  expect(await table(program, ["kept.example.io", "lost.example.io"])).toEqual([
    ...["kept.example.io held", "lost.example.io 404"],
  ]);
});

const tooMany = ({ matches }: RouteProgram) => Array.from({ length: 1_025 }, () => matches[0]!);

test("with TLS: the name of the connection and the Host are of one program", async () => {
  const one = programOf([named("one")], { hostnames: ["*.tls.example.com"] });
  const two = programOf([named("two")], { hostnames: ["two.tls.example.com"] });
  await gateway.load(one, two);
  const statusOf = (servername: string, host: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect({
        host: "127.0.0.1",
        port: gateway.tlsPort,
        servername,
        rejectUnauthorized: false,
      });
      socket.on("error", reject);
      socket.once("data", (data) => {
        resolve(data.toString("latin1").split(" ")[1] ?? "");
        socket.destroy();
      });
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    });
  expect([
    await statusOf("a.tls.example.com", "b.tls.example.com"),
    await statusOf("a.tls.example.com", "two.tls.example.com"),
    await statusOf("two.tls.example.com", "a.tls.example.com"),
    await statusOf("two.tls.example.com", "two.tls.example.com"),
  ]).toEqual(["200", "421", "421", "200"]);
});

test("a hostname with characters of a map's file is never given to HAProxy", async () => {
  const program = programOf([named("x")], { hostnames: ["a.example\nb.example gateway-1"] });
  await gateway.load(program);
  expect([...gateway.programs.reports.values()].map(({ refused }) => refused)).toContain(
    "one of its hostnames is none",
  );
});
