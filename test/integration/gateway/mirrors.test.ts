import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findServers } from "../../../scripts/servers/find.ts";
import type { JsonObject } from "../../../src/kube-server/api/object.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { type GatewayRequest, send, valuesOf } from "../../support/gateway/gateway-request.ts";
import { programOfManifest, type SliceParts, toSlice } from "../../support/gateway/route-manifest.ts";
import { hostOf, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** Rules of HTTPRoutes with `RequestMirror`, in a running HAProxy. */
let gateway: RunningGateway;
const backends: GatewayBackend[] = [];
let program: RouteProgram;

type Name = "v1" | "v2" | "v3";

function backendOf(name: Name): GatewayBackend {
  const found = backends.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no backend ${name}`);
  return found;
}

const sliceOf = (name: Name): SliceParts => ({ name, port: backendOf(name).port, addresses: ["127.0.0.1"] });
const mirror = (name: Name, more: JsonObject = {}): JsonObject => ({
  type: "RequestMirror",
  requestMirror: { backendRef: toSlice(sliceOf(name)), ...more },
});
const headerChanges: JsonObject = {
  type: "RequestHeaderModifier",
  requestHeaderModifier: {
    set: [{ name: "X-Header-Set", value: "set-overwrites-values" }],
    add: [
      { name: "X-Header-Add", value: "header-val-1" },
      { name: "X-Header-Add-Append", value: "header-val-2" },
    ],
    remove: ["X-Header-Remove"],
  },
};
const on = (path: string, filters: JsonObject[], more: JsonObject = {}): JsonObject => ({
  matches: [{ path: { type: "PathPrefix", value: path } }],
  filters,
  backendRefs: [toSlice(sliceOf("v1"))],
  ...more,
});

setUpAll(async ({ keep }) => {
  for (const name of ["v1", "v2", "v3"]) backends.push(await keep(startGatewayBackend({ name })));
  gateway = await keep(startGateway());
  program = programOfManifest(
    [
      // As in the conformance suite.
      on("/mirror", [mirror("v2")]),
      on("/mirror-and-modify-headers", [headerChanges, mirror("v2")]),
      on("/multi-mirror", [mirror("v2"), mirror("v3")]),
      on("/percent-mirror", [mirror("v2", { percent: 20 })]),
      on("/percent-mirror-fraction", [mirror("v2", { fraction: { numerator: 25, denominator: 50 } })]),
      on("/percent-0", [mirror("v2", { percent: 0 })]),
      on("/shared", [mirror("v2")], { backendRefs: [toSlice(sliceOf("v1")), toSlice(sliceOf("v3"))] }),
      on("/rewritten", [
        mirror("v2"),
        {
          type: "URLRewrite",
          urlRewrite: {
            hostname: "other.example",
            path: { type: "ReplaceFullPath", replaceFullPath: "/new" },
          },
        },
      ]),
      on("/with-retry", [mirror("v2")], { retry: { codes: [500] } }),
      on("/hang", [mirror("v2")]),
      on("/none", []),
    ],
    ["v1", "v2", "v3"].map((name) => sliceOf(name as Name)),
  );
  await gateway.load(program);
});

let ids = 0;

/** Sends a request; the id in its query tells its copies. */
async function ask(
  path: string,
  more: GatewayRequest = {},
): Promise<{ status: number; name: string; id: string }> {
  const id = `id=${++ids}`;
  const { status, echo } = await send(gateway.port, program, { path: `${path}?${id}`, ...more });
  return { status, name: echo.name, id };
}

const copies = (name: Name, id: string) =>
  backendOf(name).received.filter(({ url }) => url.endsWith(`?${id}`));

async function copyAt(name: Name, id: string) {
  await until(`${name} has a copy of ${id}`, async () => copies(name, id).length > 0);
  return copies(name, id)[0] ?? { method: "", url: "", headers: [] };
}

/** Named as in the conformance suite of the Gateway API. */
describe("conformance", () => {
  test("HTTPRouteRequestMirror", async () => {
    const { name, id } = await ask("/mirror", { headers: { a: ["1", "2"] } });
    expect(name).toBe("v1");
    const copy = await copyAt("v2", id);
    expect([copy.method, copy.url]).toEqual(["GET", `/mirror?${id}`]);
    expect(valuesOf(copy, "host")).toEqual([hostOf(program.gateway)]);
    expect(valuesOf(copy, "a")).toEqual(["1", "2"]);
    expect(valuesOf(copy, "x-forwarded-for")).toEqual(["127.0.0.1"]);
    expect(valuesOf(copy, "x-telemetryd-section")).toEqual([]);

    const headers = { "X-Header-Remove": "remove-val", "X-Header-Add-Append": "append-val-1" };
    const changed = await ask("/mirror-and-modify-headers", { headers });
    for (const each of [await copyAt("v2", changed.id), await copyAt("v1", changed.id)]) {
      expect(valuesOf(each, "x-header-add")).toEqual(["header-val-1"]);
      expect(valuesOf(each, "x-header-add-append").join(",")).toBe("append-val-1,header-val-2");
      expect(valuesOf(each, "x-header-set")).toEqual(["set-overwrites-values"]);
      expect(valuesOf(each, "x-header-remove")).toEqual([]);
    }
  });

  test("HTTPRouteRequestMultipleMirrors", async () => {
    const { name, id } = await ask("/multi-mirror");
    expect(name).toBe("v1");
    await Promise.all([copyAt("v2", id), copyAt("v3", id)]);
    expect([copies("v1", id).length, copies("v2", id).length, copies("v3", id).length]).toEqual([1, 1, 1]);
  });

  test.each([
    ["/percent-mirror", 0.2],
    ["/percent-mirror-fraction", 0.5],
    ["/percent-0", 0],
  ])("HTTPRouteRequestPercentageMirror: %s", async (path, share) => {
    const before = backendOf("v2").requests;
    const requests = 400;
    for (let sent = 0; sent < requests; sent += 10) {
      await Promise.all(Array.from({ length: 10 }, () => ask(path)));
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Six standard deviations.
    const most = 6 * Math.sqrt(requests * share * (1 - share));
    expect(Math.abs(backendOf("v2").requests - before - requests * share)).toBeLessThanOrEqual(most);
  });
});

test.each<[what: string, path: string, request: GatewayRequest, url: string, host?: string]>([
  ["a rule with several backends", "/shared", {}, "/shared"],
  ["what the backend gets after a rewrite", "/rewritten", {}, "/new", "other.example"],
  ["a rule with retries", "/with-retry", {}, "/with-retry"],
  ["a method that Lua has no function for", "/mirror", { method: "PATCH", body: "abc" }, "/mirror"],
])("copies are made of %s", async (_, path, request, url, host) => {
  const { status, id } = await ask(path, request);
  expect(status).toBe(200);
  const copy = await copyAt("v2", id);
  expect([copy.method, copy.url]).toEqual([request.method ?? "GET", `${url}?${id}`]);
  expect(valuesOf(copy, "host")).toEqual([host ?? hostOf(program.gateway)]);
});

test.each([
  ["small", "x".repeat(16_384), 1],
  ["large", "x".repeat(16_385), 0],
  ["very large", "x".repeat(2_000_000), 0],
])("a body that is %s", async (_, body, expected) => {
  const { status, id } = await ask("/mirror", { method: "POST", body });
  expect(status).toBe(200);
  // Copies are sent in order: when the next request's is there, this one's would be.
  await copyAt("v2", (await ask("/mirror")).id);
  expect(copies("v2", id).length).toBe(expected);
  for (const copy of copies("v2", id)) expect(valuesOf(copy, "content-length")).toEqual([`${body.length}`]);
});

test("a body in chunks is forwarded as it comes, and not copied", async () => {
  const { status, id } = await ask("/mirror", {
    method: "POST",
    headers: { "transfer-encoding": "chunked" },
    body: "abc",
  });
  expect(status).toBe(200);
  await copyAt("v2", (await ask("/mirror")).id);
  expect(copies("v2", id)).toEqual([]);
});

test("a client's header chooses no section of HAProxy's", async () => {
  const section = `mirror-${program.gateway}-${program.rules.length - 1}`;
  const { status, id } = await ask("/none", { headers: { "X-Telemetryd-Section": section } });
  expect([status, copies("v2", id).length + copies("v3", id).length]).toEqual([200, 0]);
  const second = await ask("/mirror", { headers: { "X-Telemetryd-Section": section } });
  await copyAt("v2", second.id);
  expect(copies("v3", second.id)).toEqual([]);
});

test("a mirror that hangs delays no request, and has few copies at once", async () => {
  const other = programOfManifest(
    [on("/", [mirror("v2")], { backendRefs: [toSlice(sliceOf("v1"))] })],
    [sliceOf("v1"), { ...sliceOf("v2"), addresses: ["127.0.0.1"] }],
    { plane: { type: "project", name: "other", uid: "other-uid", organization: "acme" } },
  );
  await gateway.load(other);
  const hanging = programOfManifest(
    [
      on(
        "/",
        [
          mirror("v2"),
          {
            type: "URLRewrite",
            urlRewrite: { path: { type: "ReplaceFullPath", replaceFullPath: "/slow/5000" } },
          },
        ],
        {
          backendRefs: [toSlice(sliceOf("v1"))],
        },
      ),
    ],
    [sliceOf("v1"), sliceOf("v2")],
  );
  await gateway.load(hanging);
  const before = backendOf("v2").open;
  const asked = Array.from({ length: 60 }, () => send(gateway.port, hanging));
  await until("copies are open", async () => backendOf("v2").open - before >= 32);
  await until("requests are open", async () => backendOf("v1").open >= 60);
  expect(backendOf("v2").open - before).toBe(32);
  // Another project's copies are sent meanwhile.
  const id = "id=other";
  const startedMs = performance.now();
  expect((await send(gateway.port, other, { path: `/x?${id}` })).status).toBe(200);
  // The copies hang for 5 s.
  expect(performance.now() - startedMs).toBeLessThan(4_000);
  await copyAt("v2", id);
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(asked.map(() => 200));
  await until("no copy is open", async () => backendOf("v2").open === before);
  const { id: next } = await ask("/mirror");
  await copyAt("v2", next);
});

test("a mirror leads only where a backend may", async () => {
  const forbidden = { name: "v2", port: backendOf("v2").port, addresses: ["127.0.0.5"] };
  const own = programOfManifest([on("/", [mirror("v2")])], [sliceOf("v1"), forbidden]);
  await gateway.load(own);
  const dead = programOfManifest([on("/", [mirror("v2")])], [sliceOf("v1")]);
  await gateway.load(dead);
  const before = backendOf("v2").requests;
  for (const each of [own, dead]) expect((await send(gateway.port, each)).status).toBe(200);
  await copyAt("v2", (await ask("/mirror")).id);
  expect(backendOf("v2").requests - before).toBe(1);
});

test("without Lua, a rule with a mirror is not served, and its condition says why", async () => {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-no-lua-"));
  const { haproxy } = await findServers(["haproxy"]);
  const binary = join(folder, "haproxy");
  // To a HAProxy without Lua, this is what the configuration says.
  const lines = [
    "#!/bin/sh",
    `for each; do [ -f "$each" ] && sed -i 's/feature(LUA)/feature(NONE)/' "$each"; done`,
  ];
  await writeFile(binary, [...lines, `exec ${haproxy.path} "$@"`, ""].join("\n"));
  await chmod(binary, 0o755);
  await using plain = await startGateway({ binary });
  const mirrored = programOfManifest([on("/", [mirror("v2")])], [sliceOf("v1"), sliceOf("v2")]);
  const version = await plain.programs.put(mirrored);
  const refusal = async () => (await plain.programs.state(mirrored.gateway, version)).reports[0]?.refused;
  await until("it is refused", async () => (await refusal()) !== undefined);
  expect(await refusal()).toContain("the gateway's HAProxy has no Lua, which RequestMirror needs");
  expect((await send(plain.port, mirrored)).status).toBe(503);
  const unchanged = programOfManifest([on("/", [headerChanges])], [sliceOf("v1")]);
  await plain.load(unchanged);
  expect((await send(plain.port, unchanged)).status).toBe(200);
  await rm(folder, { recursive: true, force: true });
});
