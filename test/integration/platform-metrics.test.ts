import "../support/leak-check.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Clock, systemClock } from "../../src/base/core/clock.ts";
import { createLogger } from "../../src/base/log/log.ts";
import {
  groupDomain,
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/** Metrics of the platform's API, its store and its controllers. */
/** Pauses of a minute take a second. */
const fastCounts: Clock = {
  ...{ nowMs: () => systemClock.nowMs(), monotonicMs: () => systemClock.monotonicMs() },
  sleep: (ms, signal) => systemClock.sleep(ms === 60_000 ? 1_000 : ms, signal),
};
const warnings: string[] = [];
const log = createLogger("warn", { write: (line) => warnings.push(line) }, false, "json");
let platform: TestPlatform;
let bearer: string;
const organization = organizationBase("acme");
const configMaps = `${organization}/api/v1/namespaces/default/configmaps`;

beforeAll(async () => {
  const quotas = { organization: { objects: 10_000 }, project: { objects: 4 } };
  platform = await startTestPlatform({ quotas, clock: fastCounts }, log);
  bearer = await platform.exchange(platform.token);
});
afterAll(() => platform.stop());

/** The value of a series; undefined if there is none. */
async function value(name: string, labels: Readonly<Record<string, string>> = {}) {
  const line = (await platform.metrics()).split("\n").find((each) => {
    if (!each.startsWith(`${name}{`) && !each.startsWith(`${name} `)) return false;
    return Object.entries(labels).every(([label, text]) => each.includes(`${label}="${text}"`));
  });
  return line === undefined ? undefined : Number(line.split(" ").at(-1));
}

const about = (verb: string, resource: string, scope: string) => ({
  ...{ verb, version: "v1", resource, scope },
});

test("requests by verb, resource, scope and code; text of clients is no label", async () => {
  const post = (name: string) =>
    platform.fetch(configMaps, { method: "POST", bearer, body: { metadata: { name } } });
  await post("a");
  await post("a");
  await platform.fetch(configMaps, { bearer });
  await platform.fetch(`${configMaps}/a`, { bearer });
  await platform.fetch(`${configMaps}/a/nonsense`, { bearer });
  await platform.fetch(`${organization}/api/v1/nonsense`, { bearer });
  await platform.fetch(`${configMaps}/a`);
  const total = "apiserver_request_total";
  await until("all are counted", async () => (await value(total, { verb: "GET", code: "403" })) === 1);
  const created = { ...about("POST", "configmaps", "namespace") };
  expect(await value(total, { ...created, code: "201" })).toBe(1);
  expect(await value(total, { ...created, code: "409" })).toBe(1);
  expect(await value(total, { ...about("LIST", "configmaps", "namespace"), code: "200" })).toBe(1);
  expect(await value(total, { ...about("GET", "configmaps", "resource"), code: "200" })).toBe(1);
  expect(await value(total, { resource: "", code: "404" })).toBe(1);
  expect(await value("apiserver_request_duration_seconds_count", created)).toBe(2);
  const text = await platform.metrics();
  expect(text).not.toContain("nonsense");
  expect(await value("apiserver_current_inflight_requests", { request_kind: "readOnly" })).toBe(0);
});

test("open watches are counted apart", async () => {
  const watching = { ...about("WATCH", "configmaps", "namespace") };
  const watch = openWatch(`${platform.url}${configMaps}?watch=1`, bearer, () => undefined);
  await watch.opened;
  expect(await value("apiserver_longrunning_requests", watching)).toBe(1);
  expect(await value("apiserver_current_inflight_requests", { request_kind: "readOnly" })).toBe(0);
  watch.stop();
  await watch.ended;
  await until("it is over", async () => (await value("apiserver_longrunning_requests", watching)) === 0);
  expect(await value("apiserver_request_total", { ...watching, code: "200" })).toBe(1);
  expect(await value("apiserver_request_duration_seconds_count", watching)).toBeUndefined();
});

test("tokens that expire within two weeks, and no others", async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const [soon] = await Promise.all([
    platform.newToken("alice@example.com", { name: "soon", expiresAt: inDays(13) }),
    platform.newToken("alice@example.com", { name: "later", expiresAt: inDays(15) }),
    platform.newToken("alice@example.com", { name: "never" }),
    platform.newToken("alice@example.com", { name: "expired", expiresAt: inDays(-1) }),
  ]);
  const expiry = "telemetryd_access_token_expiry_timestamp_seconds";
  const labels = { user: "alice@example.com", name: "soon", id: soon.id };
  await until("it is counted", async () => (await value(expiry, labels)) !== undefined);
  expect(await value(expiry, labels)).toBeCloseTo(Date.now() / 1_000 + 13 * 86_400, -3);
  for (const name of ["later", "never", "expired"]) expect(await value(expiry, { name })).toBeUndefined();
  expect(warnings.filter((line) => line.includes("expires soon"))).toEqual([
    expect.stringContaining(`"token":"${soon.id}","name":"soon","user":"alice@example.com"`),
  ]);
});

test("objects, quotas near their end, reconciliations and the certificate", async () => {
  const group = `resourcemanager.${groupDomain}/v1alpha`;
  const body = { apiVersion: group, kind: "Project", metadata: { name: "web" } };
  await platform.fetch(`${organization}/apis/${group}/projects`, { method: "POST", bearer, body });
  const own = `${projectBase("web")}/api/v1/namespaces/default/configmaps`;
  await until("the project is there", async () => (await platform.fetch(own, { bearer })).code === 200);
  const create = async (name: string) =>
    (await platform.fetch(own, { method: "POST", bearer, body: { metadata: { name } } })).code;
  for (let code = 201, index = 0; code === 201; index++) code = await create(`map-${index}`);
  const full = { quota: "project", name: "web", resource: "objects" };
  await until("it is counted", async () => (await value("telemetryd_quota_used_ratio", full)) === 1);
  expect(await value("telemetryd_quota_used_ratio", { quota: "organization" })).toBeUndefined();
  const projects = { resource: `projects.resourcemanager.${groupDomain}` };
  expect(await value("apiserver_storage_objects", projects)).toBe(1);
  expect(await value("apiserver_storage_objects", { resource: "configmaps" })).toBeGreaterThan(1);
  expect(await value("workqueue_depth", { name: "controllers" })).toBe(0);
  const ofProjects = { controller: "project" };
  expect(
    await value("controller_runtime_reconcile_total", { ...ofProjects, result: "success" }),
  ).toBeGreaterThan(0);
  expect(await value("controller_runtime_reconcile_time_seconds_count", ofProjects)).toBeGreaterThan(0);
  expect(await value("controller_runtime_reconcile_errors_total", ofProjects)).toBe(0);
  const expiry = await value("telemetryd_platform_certificate_expiry_timestamp_seconds");
  expect(expiry).toBeGreaterThan(Date.now() / 1_000 + 300 * 86_400);
});
