import { describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/servers/free-port.ts";
import type { JsonObject } from "../../../src/kube-server/api/object.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { type GatewayRequest, send, valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOfManifest, type SliceParts, toSlice } from "../../support/gateway/route-manifest.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { rawHttp, statusesIn } from "../../support/net/raw-http.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** Rules of HTTPRoutes with `retry`, in a running HAProxy. */
let gateway: RunningGateway;
let backend: GatewayBackend;
/** On the same port of another address. */
let second: GatewayBackend | undefined;
let slice: SliceParts;
let program: RouteProgram;
const isLinux = process.platform === "linux";

const on = (path: string, rule: JsonObject): JsonObject => ({
  matches: [{ path: { type: "PathPrefix", value: path } }],
  filters: [
    {
      type: "URLRewrite",
      urlRewrite: { path: { type: "ReplacePrefixMatch", replacePrefixMatch: "/fails" } },
    },
  ],
  backendRefs: [toSlice(slice)],
  ...rule,
});

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend({ name: "backend" }));
  if (isLinux)
    second = await keep(startGatewayBackend({ name: "second", host: "127.0.0.2", port: backend.port }));
  gateway = await keep(startGateway({ allow: ["127.0.0.0/8"] }));
  slice = { name: "a", port: backend.port, addresses: ["127.0.0.1"] };
  program = programOfManifest(
    [
      // As in the conformance suite.
      on("/code-500-attempts-3", { retry: { codes: [500], attempts: 3 } }),
      on("/code-all-attempts-2", { retry: { codes: [500, 502, 503, 504], attempts: 2 } }),
      on("/connections", { retry: {}, timeouts: { backendRequest: "2s" } }),
      on("/total", { retry: { attempts: 5 }, timeouts: { request: "2s", backendRequest: "600ms" } }),
      on("/none", {}),
      on("/shared", { retry: { codes: [500] }, backendRefs: [toSlice(slice), toSlice(slice)] }),
      { backendRefs: [toSlice(slice)], retry: { codes: [503] } },
    ],
    [slice],
  );
  await gateway.load(program);
});

let ids = 0;

/** Asks a rule for what fails some times. @returns the status, and how often the backend was asked */
async function ask(
  rule: string,
  fails: number,
  what: number | string,
  more: GatewayRequest = {},
): Promise<[status: number, asked: number]> {
  const id = `id-${++ids}`;
  const { status } = await send(gateway.port, program, { path: `/${rule}/${fails}/${what}/${id}`, ...more });
  return [status, backend.received.filter(({ url }) => url.endsWith(`/${id}`)).length];
}

/** Named as in the conformance suite of the Gateway API. */
describe.concurrent("HTTPRouteRetry", () => {
  test.each<[rule: string, status: number, fails: number, expected: [status: number, asked: number]]>([
    ["code-500-attempts-3", 500, 2, [200, 3]],
    ["code-500-attempts-3", 500, 4, [500, 4]],
    ["code-500-attempts-3", 503, 2, [503, 1]],
    ["code-all-attempts-2", 500, 1, [200, 2]],
    ["code-all-attempts-2", 500, 3, [500, 3]],
    ["code-all-attempts-2", 502, 1, [200, 2]],
    ["code-all-attempts-2", 502, 3, [502, 3]],
    ["code-all-attempts-2", 503, 1, [200, 2]],
    ["code-all-attempts-2", 503, 3, [503, 3]],
    ["code-all-attempts-2", 504, 1, [200, 2]],
    ["code-all-attempts-2", 504, 3, [504, 3]],
    // A rule without `retry` beside them, and each share of one with several backends.
    ["none", 500, 1, [500, 1]],
    ["shared", 500, 1, [200, 2]],
    ["shared", 500, 2, [500, 2]],
  ])("%s: %i for %i times", async (rule, status, fails, expected) => {
    expect(await ask(rule, fails, status)).toEqual(expected);
  });
});

describe.concurrent("a request is sent again", () => {
  test("after a connection that ends, and after a time limit of one attempt", async () => {
    expect(await ask("connections", 1, "end")).toEqual([200, 2]);
    expect(await ask("connections", 2, "end")).toEqual([502, 2]);
    expect(await ask("connections", 1, "hang")).toEqual([200, 2]);
    expect(await ask("none", 1, "end")).toEqual([502, 1]);
  });

  test("within the limit of all attempts", async () => {
    const startedMs = performance.now();
    const [status, asked] = await ask("total", 9, "hang");
    expect(status).toBe(504);
    expect(asked).toBeLessThan(5);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
  });

  test.each([
    ["PUT", "abc", 2],
    ["DELETE", undefined, 2],
    ["OPTIONS", undefined, 2],
    ["HEAD", undefined, 2],
    ["PUT", "x".repeat(16_000), 2],
    // HAProxy keeps no more than a buffer.
    ["PUT", "x".repeat(1_000_000), 1],
    ["POST", "abc", 1],
    ["POST", undefined, 1],
    ["PATCH", "abc", 1],
  ])("unless it could take effect twice, or is large: %s", async (method, body, asked) => {
    const more = { method, ...(body === undefined ? {} : { body }) };
    expect(await ask("code-500-attempts-3", 1, 500, more)).toEqual([asked === 2 ? 200 : 500, asked]);
  });
});

test("a backend that does not accept connections is tried again a second later", async () => {
  const port = await freePort();
  const dead = { name: "dead", port, addresses: ["127.0.0.1"] };
  const rules = [{ retry: { attempts: 2 }, backendRefs: [toSlice(dead)] }];
  const late = programOfManifest(rules, [dead]);
  await gateway.load(late);
  const response = send(gateway.port, late, { method: "POST", body: "abc" });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await using _started = await startGatewayBackend({ name: "late", port });
  const { status, echo } = await response;
  expect([status, echo.name, echo.bodyBytes]).toEqual([200, "late", 3]);
});

test("what the gateway does to requests stays as it is without `retry`", async () => {
  const headers = Object.fromEntries(Array.from({ length: 95 }, (_, index) => [`x-${index}`, "a"]));
  const more = { "X-Telemetryd-Section": "retry-of-another", "X-Forwarded-For": "192.0.2.9" };
  const { status, echo } = await send(gateway.port, program, { headers: { ...headers, ...more } });
  expect(status).toBe(200);
  expect(valuesOf(echo, "x-telemetryd-section")).toEqual([]);
  expect(valuesOf(echo, "x-forwarded-for")).toEqual(["127.0.0.1"]);
  expect(valuesOf(echo, "via")).toEqual([`1.1 telemetryd-${program.gateway}`]);
  expect(valuesOf(echo, "host")).toEqual([hostOf(program.gateway)]);
  const { bodyBytes } = (await send(gateway.port, program, { method: "POST", body: "x".repeat(300_000) }))
    .echo;
  expect(bodyBytes).toBe(300_000);
});

test("WebSocket passes through a rule with `retry`", async () => {
  const handshake = [
    "GET /socket HTTP/1.1",
    `Host: ${hostOf(program.gateway)}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version: 13",
    "\r\n",
  ].join("\r\n");
  const { text } = await rawHttp(gateway.port, [handshake], { enough: (so) => so.includes("\r\n\r\n") });
  expect(statusesIn(text)).toEqual([101]);
});

test.runIf(isLinux)("of several addresses, another one is asked", async () => {
  const both = { name: "both", port: backend.port, addresses: ["127.0.0.1", "127.0.0.2"] };
  const rules = [{ retry: { codes: [500], attempts: 1 }, backendRefs: [toSlice(both)] }];
  const several = programOfManifest(rules, [both]);
  await gateway.load(several);
  for (let sent = 0; sent < 4; sent++) {
    const path = `/fails/1/500/several-${sent}`;
    // Each of them has failed once.
    expect((await send(gateway.port, several, { path })).status).toBe(500);
    const asked = [backend, second].map((each) => each?.received.filter(({ url }) => url === path).length);
    expect(asked).toEqual([1, 1]);
  }
});

test("a reload loses no request of a rule with `retry`, also one that has another place then", async () => {
  const faults: string[] = [];
  let isOver = false;
  const asking = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const { status, text } = await send(gateway.port, program, { path: "/a" });
      if (status !== 200) faults.push(`${status} ${text}`);
    }
  });
  for (let edit = 0; edit < 4; edit++) {
    const last = { backendRefs: [toSlice(slice)], retry: { codes: [503] } };
    const more = Array.from({ length: edit }, (_, at) => on(`/more-${at}`, { retry: { codes: [500] } }));
    await gateway.load(programOfManifest([...more, last], [slice], program));
  }
  isOver = true;
  await Promise.all(asking);
  expect(faults).toEqual([]);
  await gateway.load(program);
  await until("the first rules are back", async () => (await ask("code-500-attempts-3", 1, 500))[0] === 200);
});
