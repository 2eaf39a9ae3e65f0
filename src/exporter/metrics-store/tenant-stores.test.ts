import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { type Clock, systemClock } from "../../base/core/clock.ts";
import { Releasers } from "../../base/core/service.ts";
import { silentLogger } from "../../base/log/log.ts";
import { ReadLimits } from "./read-limits.ts";
import { TenantStores } from "./tenant-stores.ts";

const releasers = new Releasers();
afterEach(() => releasers.releaseAll());

/** A thousand times as fast. */
const fast: Clock = {
  nowMs: () => systemClock.nowMs(),
  monotonicMs: () => systemClock.monotonicMs() * 1_000,
  sleep: (ms, signal) => systemClock.sleep(ms / 1_000, signal),
};

/** Stores of tenants behind one address; the metadata of some never comes. */
async function running(tenants: readonly string[], hanging: ReadonlySet<string>) {
  const fetched = new Map<string, number>();
  const open = new Set<ServerResponse>();
  const world = { fetched, open, mostOpen: 0 };
  const server = createServer((request, response) => {
    const tenant = String(request.headers["x-scope-orgid"]);
    if (request.url?.startsWith("/api/v1/metadata") !== true) {
      response.end('{"status":"success","data":{"version":"2.42.0"}}');
      return;
    }
    fetched.set(tenant, (fetched.get(tenant) ?? 0) + 1);
    open.add(response.on("close", () => open.delete(response)));
    world.mostOpen = Math.max(world.mostOpen, open.size);
    if (hanging.has(tenant)) return;
    const data = { up: [{ type: "gauge", help: tenant, unit: "" }] };
    response.end(JSON.stringify({ status: "success", data }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  releasers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stores = new TenantStores({
    settings: { url, flavor: "prometheus", concurrency: 1, tenancy: "header", tenantHeader: "X-Scope-OrgID" },
    limits: new ReadLimits({ concurrency: 1, cacheMaxBytes: 2 ** 20, clock: fast }),
    clock: fast,
    log: silentLogger,
  });
  releasers.push(() => stores.close());
  const { signal } = new AbortController();
  /** Stores that are not used are closed. */
  const use = () => Promise.all(tenants.map((tenant) => stores.of(tenant).probe(signal)));
  await use();
  const stop = new AbortController();
  const run = stores.run(stop.signal);
  releasers.push(async () => {
    stop.abort();
    await run;
  });
  return { stores, world, use };
}

const named = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

test("stores that do not send their metadata delay no other's", async () => {
  const [healthy, hanging] = [named(20, "healthy"), named(7, "hanging")];
  // The first ones, so that all others come after them.
  const { stores, world, use } = await running([...hanging, ...healthy], new Set(hanging));
  const fetchesOf = (tenant: string) => world.fetched.get(tenant) ?? 0;
  await until("all others are there", () =>
    healthy.every((tenant) => stores.of(tenant).metadata?.lookup("up")?.help === tenant),
  );
  // Regular refreshes, every ten minutes.
  await until("all others are refreshed again", async () => {
    await use();
    return healthy.every((tenant) => fetchesOf(tenant) >= 3);
  });
  expect(hanging.map(fetchesOf)).toEqual(hanging.map(() => 1));
  expect(world.mostOpen).toBeLessThanOrEqual(8);
});

test("however many hang, few requests for metadata are open at once", async () => {
  const hanging = named(30, "hanging");
  const { world } = await running(hanging, new Set(hanging));
  await until("some hang", () => world.open.size === 8);
  await systemClock.sleep(100, new AbortController().signal);
  expect(world.mostOpen).toBe(8);
});
