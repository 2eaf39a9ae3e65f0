import "../../support/leak-check.ts";
import { Agent, request } from "node:http";
import { Redis } from "ioredis";
import { expect, test } from "vitest";
import { sleep } from "../../../src/base/core/clock.ts";
import type { StoredPrograms } from "../../../src/platform/routing/program-store.ts";
import { createProgramStore } from "../../../src/platform/routing/redis-program-store.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { domain, type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { startTestPlatform, type TestPlatform } from "../../support/plane/platform.ts";
import { type Body, ComputePlane, condition } from "../../support/provider/compute-plane.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

/** One tenant that edits and hangs without end, and another that must not notice. */

let platform: TestPlatform;
let gateway: RunningGateway;
let backend: GatewayBackend;
let store: StoredPrograms;
let calm: ComputePlane;
let noisy: ComputePlane;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  platform = await keep(
    startTestPlatform({
      gateway: { domain },
      isAllowed: (address) => address === "127.0.0.1",
    }),
  );
  store = createProgramStore(await keep(new Redis(platform.redis.url)));
  gateway = await keep(startGateway({ platform }));
  const bearer = await platform.exchange(platform.token);
  calm = await ComputePlane.create(platform, bearer, "calm");
  noisy = await ComputePlane.create(platform, bearer, "noisy");
});

const proxyOf = (name: string): Body => ({
  ...{ apiVersion: "networking.platformapis/v1alpha", kind: "HTTPProxy", metadata: { name } },
  spec: { rules: [{ backends: [{ endpoint: backend.url }] }] },
});

async function hostOf(plane: ComputePlane, name: string): Promise<string> {
  await plane.create("networking", "httpproxies", proxyOf(name));
  const isProgrammed = async () =>
    condition(await plane.get("networking", "httpproxies", name), "Programmed")?.["status"] === "True";
  await until("it is programmed", isProgrammed);
  return (await plane.get("networking", "httpproxies", name))?.["status"].hostname;
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

function statusOf(host: string, path: string, timeoutMs = 30_000): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      host: "127.0.0.1",
      port: gateway.port,
      path,
      headers: { Host: host },
      agent,
      timeout: timeoutMs,
    };
    const sent = request(options, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", reject);
    });
    sent.on("timeout", () => sent.destroy(new Error("no answer")));
    sent.on("error", reject);
    sent.end();
  });
}

test("edits ten times a second and a thousand hanging requests slow no other proxy", async () => {
  const [host, loud] = [await hostOf(calm, "p"), await hostOf(noisy, "p")];
  const stop = new AbortController();
  const before = await store.version();

  const edits = (async () => {
    for (let edit = 0; !stop.signal.aborted; edit++) {
      const set = [{ name: "x-edit", value: String(edit) }];
      const filters = [{ type: "RequestHeaderModifier", requestHeaderModifier: { set } }];
      await noisy.patch("networking", "httpproxies", "p", {
        spec: { rules: [{ backends: [{ endpoint: backend.url }], filters }] },
      });
      await sleep(100, stop.signal).catch(() => undefined);
    }
  })();
  const hanging = Array.from({ length: 1_000 }, () => {
    const options = {
      host: "127.0.0.1",
      port: gateway.port,
      path: "/hang",
      headers: { Host: loud },
      agent: false,
    };
    const sent = request({ ...options, agent: false as const }, (response) => response.resume());
    sent.on("error", () => undefined);
    sent.end();
    return sent;
  });

  // Some of the thousand meet the proxy's own limit.
  await until("the requests hang", () => backend.open >= 900);

  const times: number[] = [];
  const endMs = performance.now() + 6_000;
  while (performance.now() < endMs) {
    const startedMs = performance.now();
    expect(await statusOf(host, "/")).toBe(200);
    times.push(performance.now() - startedMs);
    await sleep(10, new AbortController().signal);
  }
  const edited = (await store.version()) - before;
  expect(edited).toBeGreaterThanOrEqual(5);
  await until("the edits are loaded", async () => (await store.state("", before + edited)).isLoaded);
  expect(backend.open).toBeGreaterThanOrEqual(900);
  // The calm tenant's own edit is live soon, too.
  const filters = [{ type: "RequestRedirect", requestRedirect: { scheme: "https" } }];
  await calm.patch("networking", "httpproxies", "p", { spec: { rules: [{ backends: [], filters }] } });
  const editedMs = performance.now();
  await until("the edit is live", async () => (await statusOf(host, "/")) === 302);
  const liveMs = performance.now() - editedMs;

  stop.abort();
  for (const each of hanging) each.destroy();
  await edits;
  agent.destroy();
  times.sort((a, b) => a - b);
  expect(times.length).toBeGreaterThan(100);
  expect((times[times.length >> 1] ?? 0) < 100).toBe(true);
  expect(liveMs).toBeLessThan(10_000);
});
