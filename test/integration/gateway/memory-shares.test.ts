import { expect, test } from "vitest";
import { childrenUsage } from "../../../bench/support/process-usage.ts";
import { memoryOfProject } from "../../../src/platform/gateway/memory-shares.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type GatewayBackend, startGatewayBackend } from "../../support/gateway/gateway-backend.ts";
import { send } from "../../support/gateway/gateway-request.ts";
import { programOf, type RuleParts } from "../../support/gateway/route-program.ts";
import { type RunningGateway, startGateway } from "../../support/gateway/running-gateway.ts";
import { setUpAll } from "../../support/set-up.ts";
import { until } from "../../support/until.ts";

let backend: GatewayBackend;
let gateway: RunningGateway;

setUpAll(async ({ keep }) => {
  backend = await keep(startGatewayBackend());
  gateway = await keep(startGateway());
});

const target = () => ({ scheme: "http", host: "127.0.0.1", port: backend.port }) as const;
const planeOf = (name: string) => ({ type: "project", name, uid: name, organization: "acme" }) as const;

/** Rules that set headers, together about 13 MiB of HAProxy's memory. */
function heavyRules(): RuleParts[] {
  const set = Array.from({ length: 64 }, (_, index) => ({ name: `x-${index}`, value: "%".repeat(20) }));
  return Array.from({ length: 64 }, (_, rule) => ({
    matches: [{ path: { type: "Exact", value: `/${rule}` } }, ...(rule > 0 ? [] : [{}])],
    ...{ backend: target(), requestHeaders: [{ set, add: [], remove: [] }] },
  }));
}

const heavy = (name: string, created: string): RouteProgram =>
  programOf(heavyRules(), { plane: planeOf(name), name: created, created });
const statusOf = async (program: RouteProgram): Promise<number> =>
  (await send(gateway.port, program, { path: "/" })).status;

test("a project's newest proxies are left out when it needs too much memory, and say so", async () => {
  const neighbour = programOf([{ backend: target() }], { plane: planeOf("neighbour") });
  const plain = programOf([{ backend: target() }], { plane: planeOf("heavy"), created: "2026-01-01" });
  const all = Array.from({ length: 6 }, (_, index) => heavy("heavy", `2026-02-0${index + 1}`));
  await gateway.load(plain);
  const masterPid = await gateway.masterPid();
  await gateway.load(...[...all].reverse(), neighbour);
  const statuses = await Promise.all(all.map(statusOf));
  expect(statuses).toEqual([...statuses].sort());
  expect([statuses[0], statuses.at(-1), await statusOf(neighbour)]).toEqual([200, 503, 200]);
  const last = all.at(-1) as RouteProgram;
  const report = () => gateway.programs.reports.get(last.gateway);
  expect(report()).toMatchObject({
    refused: expect.stringContaining("more than 32 MiB of the gateway's memory; older proxies come first"),
    reason: "NoResources",
  });
  expect(childrenUsage(masterPid).residentBytes).toBeLessThan(3 * memoryOfProject);

  // A change that needs too much: what was served before still is.
  await gateway.load({ ...heavy("heavy", "2026-03-01"), gateway: plain.gateway });
  expect(await statusOf(plain)).toBe(200);
  const refused =
    "Use fewer matches, header filters and https backends, or delete proxies; an earlier version is served";
  expect(gateway.programs.reports.get(plain.gateway)?.refused).toContain(refused);

  for (const program of all.slice(0, 5)) await gateway.unload(program.gateway);
  await until("it is loaded", async () => (await statusOf(last)) === 200);
  await until("nothing is refused", () => gateway.programs.reports.size === 0);
});
