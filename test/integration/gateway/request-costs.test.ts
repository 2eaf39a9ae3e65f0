import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { BackendTarget, ProgramMatch } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { programOf } from "../../support/gateway/route-program.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";

/** What a request may cost the gateway, whose processor all projects share: of one tenant's client and proxy. */

let gateway: RunningGateway;
let backend: GatewayBackend;
let target: { readonly backend: BackendTarget };

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
  target = { backend: { scheme: "http", host: "127.0.0.1", port: backend.port } };
});

const requests = 50;
/** An ordinary request takes 0.3 ms; the most costly one took 44 ms. */
const limitMs = 6;

/** CPU time of HAProxy for each of some requests, ms. */
async function costOf(
  lines: readonly string[],
  host: string,
  count = requests,
): Promise<{ ms: number; status: number | undefined }> {
  const bytes = `${[lines[0], `Host: ${host}`, ...lines.slice(1)].join("\r\n")}\r\n\r\n`;
  let text = "";
  const before = await cpuMs();
  for (let index = 0; index < count; index++) {
    ({ text } = await rawHttp(gateway.port, bytes, { enough: (so) => so.includes("\r\n\r\n") }));
  }
  return { ms: ((await cpuMs()) - before) / count, status: statusesIn(text)[0] };
}

/** CPU time of the workers so far, in ms. */
async function cpuMs(): Promise<number> {
  const master = await gateway.masterPid();
  const workers = readFileSync(`/proc/${master}/task/${master}/children`, "utf8").trim().split(" ");
  return workers.reduce((sum, pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return sum + 10 * (Number(fields[11]) + Number(fields[12]));
  }, 0);
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const long = `/?${"a&".repeat(7_000)}`;

test.each<[what: string, matches: Partial<ProgramMatch>[], lines: string[]]>([
  [
    "parameters that a long query does not have",
    times(1_000, (index) => ({ queryParams: [{ name: `n[${index % 64}]`, value: `${index}` }] })),
    [`GET ${long} HTTP/1.1`],
  ],
  [
    "parameters at the end of a long query",
    times(120, (index) => ({
      queryParams: times(16, (place) => ({ name: `n${place}`, value: place < 15 ? "v" : `${index}` })),
    })),
    [`GET ${long}${times(16, (place) => `n${place}=v`).join("&")} HTTP/1.1`],
  ],
  [
    "a header that a request has ninety times",
    times(1_000, (index) => ({ headers: [{ name: "n", value: `v${index}` }] })),
    ["GET / HTTP/1.1", ...times(90, (index) => `n: ${index}`)],
  ],
  [
    "prefixes of a long path",
    times(1_000, (index) => ({ path: { type: "PathPrefix", value: `/a/${index}` } })),
    [`GET /${"b".repeat(8_000)} HTTP/1.1`],
  ],
])("a thousand matches of %s", async (_, matches, lines) => {
  const program = programOf([{ respond: 500, matches }, target]);
  await gateway.load(program);
  const { ms, status } = await costOf(lines, hostOf(program.gateway));
  expect(status).toBe(200);
  expect(ms).toBeLessThan(limitMs);
});

test.each([
  ["some names, many times", "a,".repeat(7_000), 400],
  ["different names", times(2_000, (index) => `n${index}`).join(","), 400],
  ["names without commas", "a ".repeat(7_000), 400],
  ["as many names as there can be headers", times(100, () => "X-0").join(","), 200],
])("Connection with %s", async (_, names, expected) => {
  const program = programOf([target]);
  await gateway.load(program);
  const headers = times(90, (index) => `X-${index}: 1`);
  const lines = ["GET / HTTP/1.1", `Connection: ${names}`, ...headers];
  const { ms, status } = await costOf(lines, hostOf(program.gateway));
  expect(status).toBe(expected);
  expect(ms).toBeLessThan(limitMs / 2);
});

test("a header that comes twice matches no value: a backend could take either", async () => {
  const headers = [{ name: "x-variant", value: "canary" }];
  const program = programOf([{ respond: 503, matches: [{ headers }] }, target]);
  await gateway.load(program);
  const statusWith = async (...values: string[]) => {
    const lines = values.map((value) => `X-Variant: ${value}`);
    return (await costOf(["GET / HTTP/1.1", ...lines], hostOf(program.gateway), 1)).status;
  };
  expect([await statusWith("canary"), await statusWith("canary", "other")]).toEqual([503, 200]);
  expect([await statusWith("other", "canary"), await statusWith("canary, other")]).toEqual([200, 200]);
});
