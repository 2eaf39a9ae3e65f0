import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway-backend.ts";
import { type GatewayRequest, send } from "../../support/gateway-request.ts";
import { rawHttp } from "../../support/raw-http.ts";
import { programOf, type RuleParts } from "../../support/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/running-gateway.ts";
import { until } from "../../support/until.ts";

/** Plain proxies are data: HAProxy is given them without a reload, and serves them as it serves a section. */

let gateway: RunningGateway;
let backends: GatewayBackend[];

beforeAll(async () => {
  backends = await Promise.all(["a", "b", "c"].map((name) => startGatewayBackend({ name })));
  gateway = await startGateway({
    lookup: async (name) => {
      if (name === "b.example") return [{ address: "127.0.0.1", family: 4 }];
      throw new Error(`${name} is unknown`);
    },
  });
  // The start counts as a load.
  await gateway.load(forward(0));
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all(backends.map((backend) => backend.close()));
});

const target = (index: number, host = "127.0.0.1") => {
  return { scheme: "http", host, port: backends[index]?.port ?? 0 } as const;
};
const forward = (index: number): RouteProgram => programOf([{ backend: target(index) }]);
const edited = (program: RouteProgram, rules: readonly RuleParts[]): RouteProgram => {
  return { ...programOf(rules), gateway: program.gateway };
};

async function backendOf(program: RouteProgram): Promise<string | number> {
  const answer = await send(gateway.port, program);
  return answer.status === 200 ? answer.echo.name : answer.status;
}

test("they are made, edited and deleted without a reload", async () => {
  const before = await gateway.loads();
  const programs = Array.from({ length: 30 }, (_, index) => forward(index % 2));
  await gateway.load(...programs);
  expect(await Promise.all(programs.map(backendOf))).toEqual(programs.map((_, index) => "ab"[index % 2]));
  await gateway.load(...programs.map((program) => edited(program, [{ backend: target(2) }])));
  expect(new Set(await Promise.all(programs.map(backendOf)))).toEqual(new Set(["c"]));
  const [one, another, ...others] = programs as [RouteProgram, RouteProgram, ...RouteProgram[]];
  await gateway.load(edited(one, [{ respond: 503 }]), edited(another, [{ backend: target(0, "127.0.0.2") }]));
  expect([await backendOf(one), await backendOf(another)]).toEqual([503, 502]);
  for (const { gateway: uid } of programs) await gateway.unload(uid);
  expect(await backendOf(others[0] as RouteProgram)).toBe(404);
  expect(await gateway.loads()).toBe(before);
});

test("beyond the free slots they are served after one reload", async () => {
  const before = await gateway.loads();
  const programs = Array.from({ length: 150 }, () => forward(0));
  await gateway.load(...programs);
  const [last] = programs.slice(-1) as [RouteProgram];
  expect(await backendOf(last)).toBe("a");
  expect(await gateway.loads()).toBe(before + 1);
  for (const { gateway: uid } of programs) await gateway.programs.remove(uid);
  await gateway.load(forward(0));
});

test("a proxy becomes a section and data again, and is served all the time", async () => {
  const program = forward(0);
  await gateway.load(program);
  const seen = new Set<string | number>();
  let isDone = false;
  const asking = (async () => {
    while (!isDone) seen.add(await backendOf(program));
  })();
  for (let turn = 0; turn < 3; turn++) {
    await gateway.load(edited(program, [{ matches: [{ method: "GET" }], backend: target(1) }]));
    expect(await backendOf(program)).toBe("b");
    await gateway.load(edited(program, [{ backend: target(0) }]));
    expect(await backendOf(program)).toBe("a");
  }
  isDone = true;
  await asking;
  expect([...seen].sort()).toEqual(["a", "b"]);
});

test("while hosts are edited and deleted at random, none is served from a backend that it never had", async () => {
  const hosts = Array.from({ length: 6 }, () => forward(0));
  // Two hosts for each backend: whoever is served from another one's slot shows it.
  const own = hosts.map((program, index) => [program, index % 3] as const);
  await gateway.load(...own.map(([program, index]) => edited(program, [{ backend: target(index) }])));
  const faults: string[] = [];
  let [isDone, served] = [false, 0];
  const ask = async ([program, index]: readonly [RouteProgram, number]): Promise<void> => {
    while (!isDone) {
      const from = await backendOf(program);
      if (from === "abc"[index]) served++;
      // Deleted, or without a backend.
      else if (from !== 404 && from !== 503) faults.push(`${"abc"[index]}: ${from}`);
    }
  };
  const asking = own.map(ask);
  for (let turn = 0; turn < 60; turn++) {
    const [program, index] = own[(turn * 5) % own.length] ?? own[0]!;
    const wait = (version: number) =>
      until("it is loaded", async () => (await gateway.programs.state("", version)).isLoaded);
    if (turn % 4 === 0) await wait(await gateway.programs.remove(program.gateway));
    else if (turn % 4 === 1) await wait(await gateway.programs.put(edited(program, [{ respond: 503 }])));
    else await wait(await gateway.programs.put(edited(program, [{ backend: target(index) }])));
  }
  isDone = true;
  await Promise.all(asking);
  expect(faults).toEqual([]);
  expect(served).toBeGreaterThan(100);
});

describe("a plain proxy and the same one as a section respond alike", () => {
  /** Matches nothing that the tests send, and makes a program configuration. */
  const never: RuleParts = {
    matches: [{ path: { type: "Exact", value: "/never" }, headers: [{ name: "x-never", value: "1" }] }],
    respond: 500,
  };
  type Twins = [string, () => readonly RuleParts[], Partial<RouteProgram>?];
  const twins: readonly Twins[] = [
    ["a backend", () => [{ backend: target(0) }]],
    ["a backend's name", () => [{ backend: target(0, "b.example"), rewriteHostname: "b.example" }]],
    ["a name without address", () => [{ backend: target(0, "unknown.example") }]],
    ["an address that is blocked", () => [{ backend: target(0, "127.0.0.2") }]],
    ["a port where nobody listens", () => [{ backend: { ...target(0), port: 1 } }]],
    ["several addresses", () => [{ backend: { ...target(0), others: ["127.0.0.1"] } }]],
    ["a timeout", () => [{ backend: target(0), timeoutMs: 700 }]],
    ["no backend", () => [{ respond: 500 }]],
    ["a backend that does not exist", () => [{ respond: 503 }]],
    ["no rules", () => []],
    ["http only", () => [{ backend: target(0) }], { listeners: ["http"] }],
    ["https only", () => [{ backend: target(0) }], { listeners: ["https"] }],
  ];
  const requests: readonly [string, (host: string, own: string) => GatewayRequest][] = [
    ["a path", () => ({ path: "/a/b?c=d" })],
    ["a path in another form", () => ({ path: "/%61/./b/../c" })],
    ["a body", () => ({ method: "POST", body: "text" })],
    ["a host in capitals, with a dot and a port", (host) => ({ host: `${host.toUpperCase()}.:8080` })],
    ["a host that is unknown", (host) => ({ host: `x${host}` })],
    ["its own Via", (_, own) => ({ headers: { Via: `1.1 other, 1.1 ${own}` } })],
    ["another Via", () => ({ headers: { Via: "1.1 other" } })],
    [
      "headers that are replaced",
      () => ({ headers: { "X-Forwarded-For": "9.9.9.9", "X-Real-IP": "9.9.9.9", TE: "trailers" } }),
    ],
    ["a slow backend", () => ({ path: "/slow/1000" })],
  ];
  const headersOf = (text: string, own: string) => text.replaceAll(own, "<own>").toLowerCase();

  test.each<Twins>([...twins])("%s", async (_, rules, more) => {
    const plain = programOf(rules(), more);
    const section = programOf([never, ...rules()], more);
    await gateway.load(plain, section);
    for (const [what, request] of requests) {
      const responses = await Promise.all(
        [plain, section].map(async (program) => {
          const own = `telemetryd-${program.gateway}`;
          const host = hostOf(program.gateway);
          const answer = await send(gateway.port, program, request(host, own));
          const { date: __, "x-request-id": ___, ...headers } = answer.headers;
          if (answer.status !== 200) return { status: answer.status, headers, text: answer.text };
          const echo = {
            ...answer.echo,
            headers: answer.echo.headers.filter(([name]) => !/request-id/i.test(name)),
          };
          return { status: 200, text: headersOf(JSON.stringify(echo), own).replaceAll(host, "<host>") };
        }),
      );
      expect(responses[0], what).toEqual(responses[1]);
    }
    const secure = await Promise.all(
      [plain, section].map(async ({ gateway: uid }) => {
        const head = `GET / HTTP/1.1\r\nHost: ${hostOf(uid)}\r\nConnection: close\r\n\r\n`;
        const { text } = await rawHttp(gateway.tlsPort, head, { serverName: hostOf(uid) });
        return text.split("\r\n", 1)[0];
      }),
    );
    expect(secure[0]).toBe(secure[1]);
  });
});
