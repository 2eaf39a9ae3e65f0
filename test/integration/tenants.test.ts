import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { exportSpan } from "../../src/app/commands/policies/export.ts";
import { query } from "../../src/app/commands/query/query.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import {
  policiesPath,
  projectsPath,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { flushVictoriaMetrics, readVictoriaMetrics, writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { startTenantFront, type TenantFront } from "../support/store/tenant-front.ts";
import { until } from "../support/until.ts";

/**
 * Two tenants with equal series at equal times in two stores, behind a front that wants a header and one that
 * routes by path; values tell them apart. Daemons export three projects of a platform.
 */

const { signal } = new AbortController();
/** The values of the tenants' samples. */
const values = { "team-a": 1, "team-b": 2, "1:0": 1, "2": 2 } as const;
/** The last of the samples that are written before anything is read. */
const baseMs = Math.floor(Date.now() / 1_000) * 1_000 - 60_000;
let platform: TestPlatform;
let bearer: string;
let folder: string;
let stores: RunningServer[];
let receiver: RunningServer;
let byHeader: TenantFront;
let byPath: TenantFront;

setUpAll(async ({ keep, newFolder, onEnd }) => {
  folder = await newFolder("tenants");
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  await writeFile(join(folder, "token"), platform.token);
  stores = await Promise.all([startVictoriaMetrics(), startVictoriaMetrics()]);
  receiver = await startVictoriaMetrics();
  for (const server of [...stores, receiver]) onEnd(() => server[Symbol.asyncDispose]());
  await writeEqualSeries(baseMs);
  const [a = "", b = ""] = stores.map(({ url }) => url);
  byHeader = await startTenantFront("header", { "team-a": a, "team-b": b });
  byPath = await startTenantFront("path", { "1:0": a, "2": b });
  for (const front of [byHeader, byPath]) onEnd(() => front[Symbol.asyncDispose]());
  await platform.createProject("web", { "telemetry.platformapis/tenant": "team-a" });
  await platform.createProject("shop", { "telemetry.platformapis/tenant": "team-b" });
  await platform.createProject("blog");
});

/** One sample of the same series in each store. */
async function writeEqualSeries(timestampMs: number): Promise<void> {
  const labels = [
    { name: "__name__", value: "m_load" },
    { name: "job", value: "node" },
  ];
  for (const [index, { url }] of stores.entries()) {
    await writeToVictoriaMetrics(url, [{ labels, samples: [{ timestampMs, value: index + 1 }] }], signal);
  }
}

async function call(method: string, path: string, body?: unknown): Promise<void> {
  const { code, text } = await platform.fetch(path, { method, bearer, body });
  expect([200, 201], text).toContain(code);
}

async function annotate(project: string, tenant: string | null): Promise<void> {
  const body = { metadata: { annotations: { "telemetry.platformapis/tenant": tenant } } };
  const headers = { "content-type": "application/merge-patch+json" };
  const { code, text } = await platform.fetch(`${projectsPath}/${project}`, {
    ...{ method: "PATCH", bearer, body, headers },
  });
  expect(code, text).toBe(200);
}

/** The receiver marks the samples of a sink with labels of its own. */
function policy(name: string, daemon: string, project: string, metricsql = '{__name__="m_load"}') {
  const marks = `extra_label=daemon=${daemon}&extra_label=project=${project}&extra_label=policy=${name}`;
  const endpoint = `${receiver.url}/api/v1/write?${marks}`;
  const sinks = [{ name: "receiver", sources: ["all"], target: { prometheusRemoteWrite: { endpoint } } }];
  return { metadata: { name }, spec: { sources: [{ name: "all", metrics: { metricsql } }], sinks } };
}

/** The values that have come from a project, in order of time. */
async function received(daemon: string, project: string, ofPolicy = "all"): Promise<number[]> {
  await flushVictoriaMetrics(receiver.url, signal);
  const matchers = [
    { name: "daemon", type: "=", value: daemon },
    { name: "project", type: "=", value: project },
    { name: "policy", type: "=", value: ofPolicy },
  ] as const;
  const span = { fromMs: baseMs - 3_600_000, toMs: Date.now() + 60_000 };
  const { series } = await readVictoriaMetrics(receiver.url, { ...span, matchers }, signal);
  const samples = [...series.values()].flatMap(({ timestampsMs, values: own }) =>
    timestampsMs.map((ms, index) => ({ ms, value: Number(own[index]) })),
  );
  return samples.sort((a, b) => a.ms - b.ms).map(({ value }) => value);
}

function controlPlane() {
  const caFile = join(platform.stateDirectory, "platform", "ca.crt");
  return { apiUrl: platform.url, organization: "acme", accessTokenFile: join(folder, "token"), caFile };
}

async function start(name: string, metrics: Record<string, unknown>) {
  const directory = join(folder, name);
  const daemon = await spawnDaemon({
    directory,
    config: {
      controlPlane: controlPlane(),
      metrics: { interval: "1s", delay: "1s", expressionDelay: "1s", ...metrics },
      delivery: { startFrom: "1h", lateness: "0s" },
      egress: { allow: ["127.0.0.0/8"] },
      state: { directory: join(directory, "state") },
    },
  });
  return { daemon, [Symbol.asyncDispose]: () => endDaemon(daemon) };
}

/** Why a project's policy reads nothing; "" when it reads. */
async function errorOf(daemon: RunningDaemon, project: string): Promise<string> {
  const { policies: known } = await daemon.status(signal);
  const sink = known.find(({ plane, name }) => plane === project && name === "all")?.sinks[0];
  const delivering = sink?.conditions.find(({ type }) => type === "Delivering");
  return delivering?.reason === "SourceUnavailable" ? delivering.message : "";
}

/** A cluster's flags are at its root, outside of its tenants, and no tenant's data. */
const withoutFlags = (refused: readonly string[]) => refused.filter((request) => request !== "- /flags");

test("by a header, annotated: each project gets its tenant's samples only, through edits", async () => {
  await using started = await start("header", {
    url: byHeader.url,
    tenancy: "header",
    tenants: "annotation",
  });
  const { daemon } = started;
  for (const project of ["web", "shop", "blog"]) {
    await call("POST", policiesPath(project), policy("all", "header", project));
  }
  // Whatever a query names is a filter of the samples, in the project's own store.
  const smuggled = [
    '{__name__="m_load",vm_account_id="2"}',
    '{__name__="m_load",__tenant_id__="team-b"}',
    '{__name__="m_load",x_scope_orgid="team-b"} or {__tenant_id__="team-b"}',
    'sum(m_load{__tenant_id__="team-b",vm_project_id="0"})',
    'label_set(m_load, "__tenant_id__", "team-b")',
  ];
  for (const [index, text] of smuggled.entries()) {
    await call("POST", policiesPath("web"), policy(`smuggled-${index}`, "header", "web", text));
  }
  await until("web and shop have their samples", async () => {
    const each = await Promise.all(["web", "shop"].map((project) => received("header", project)));
    return each.every((own) => own.length > 0);
  });
  expect(await received("header", "web")).toEqual([values["team-a"]]);
  expect(await received("header", "shop")).toEqual([values["team-b"]]);
  await until("blog says why it reads nothing", async () =>
    (await errorOf(daemon, "blog")).includes(
      "the annotation telemetry.platformapis/tenant of its Project is missing",
    ),
  );
  expect(await received("header", "blog")).toEqual([]);

  await annotate("blog", "team-a");
  await until("blog has its samples", async () => (await received("header", "blog")).length > 0);
  await annotate("web", "team-b");
  await annotate("shop", "team-a|team-b");
  await until("shop says why it reads nothing", async () =>
    (await errorOf(daemon, "shop")).includes("must consist of letters, digits, -, _ and ."),
  );
  // Ahead of the window that will hold it.
  await writeEqualSeries(Math.floor(Date.now() / 1_000) * 1_000 + 5_000);
  await until("web has the other tenant's new sample", async () =>
    (await received("header", "web")).includes(values["team-b"]),
  );
  await until("blog too has its own", async () => (await received("header", "blog")).length === 2);
  expect(await received("header", "web")).toEqual([values["team-a"], values["team-b"]]);
  expect(await received("header", "blog")).toEqual([values["team-a"], values["team-a"]]);
  expect(await received("header", "shop")).toEqual([values["team-b"]]);
  const last = `smuggled-${smuggled.length - 1}`;
  await until("the last one is up to date", async () => (await received("header", "web", last)).includes(2));
  for (const index of smuggled.keys()) {
    const own = await received("header", "web", `smuggled-${index}`);
    // Only the last one selects anything: its own tenant's, first the one, then the other.
    expect(own.length > 0).toBe(index === smuggled.length - 1);
    expect(own).toEqual([...own].sort());
  }
  expect(byHeader.refused).toEqual([]);
  expect(byHeader.sharedConnections).toBe(0);
  expect([...byHeader.served].sort()).toEqual(["team-a", "team-b"]);
});

test("by path, in a file: an entry that comes takes effect without a restart", async () => {
  const file = join(folder, "tenants.yaml");
  await writeFile(file, "web: 1:0\n");
  await using started = await start("path", { url: byPath.url, tenancy: "path", tenants: file });
  const { daemon } = started;
  for (const project of ["web", "shop"]) {
    await call("POST", policiesPath(project), policy("by-path", "path", project));
  }
  await until("web has its samples", async () => (await received("path", "web", "by-path")).length > 0);
  await until("shop says why it reads nothing", async () =>
    (await errorOf(daemon, "shop")).includes("its entry in the operator's file of tenants"),
  );
  await writeFile(file, "web: 1:0\nshop: 2\n");
  await until("shop has its samples", async () => (await received("path", "shop", "by-path")).length > 0);
  expect(new Set(await received("path", "web", "by-path"))).toEqual(new Set([values["1:0"]]));
  expect(new Set(await received("path", "shop", "by-path"))).toEqual(new Set([values["2"]]));
  await writeFile(file, "web: a b\n");
  await until("the fault shows", async () => {
    const { degraded } = await daemon.status(signal);
    return degraded.some((text) => text.includes("metrics.tenants is not up to date"));
  });
  expect(withoutFlags(byPath.refused)).toEqual([]);
  expect(byPath.sharedConnections).toBe(0);
});

test("commands read as the same tenants", async () => {
  const directory = join(folder, "commands");
  await mkdir(join(directory, "policies"), { recursive: true });
  const manifest = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    ...policy("operator", "command", "directory"),
  };
  await writeFile(join(directory, "policies", "policy.yaml"), stringify(manifest));
  const write = async (metrics: Record<string, unknown>) => {
    const config = {
      policies: { directory: "./policies" },
      controlPlane: controlPlane(),
      metrics,
      state: { directory: "./state" },
    };
    await writeFile(join(directory, "telemetryd.yaml"), stringify(config));
  };
  const file = join(directory, "telemetryd.yaml");
  const time = new Date(baseMs).toISOString();
  const ask = async (project?: string) => {
    const options = { file, overrides: [], environment: {}, query: "m_load", time, project };
    return JSON.parse((await query({ ...options, output: "json" }, signal)).text).series[0]?.points[0].text;
  };
  await annotate("web", "team-a");
  await annotate("shop", "team-b");
  await write({ url: byHeader.url, tenancy: "header", tenants: "annotation", operatorTenant: "team-b" });
  expect([await ask("web"), await ask("shop"), await ask()]).toEqual(["1", "2", "2"]);
  await annotate("shop", null);
  await expect(ask("shop")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(ask("nobody")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(ask("directory")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });

  const span = { from: new Date(baseMs - 60_000).toISOString(), to: new Date(baseMs).toISOString() };
  const terminal = { write: () => true, isTTY: false };
  const options = { file, overrides: [], environment: {}, ...span };
  await exportSpan(options, terminal, silentLogger, signal);
  expect(await received("command", "directory", "operator")).toEqual([values["team-b"]]);

  await write({ url: byHeader.url, tenancy: "header" });
  await expect(ask()).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  await expect(exportSpan(options, terminal, silentLogger, signal)).rejects.toMatchObject({
    code: "SOURCE_FAILED",
    message: expect.stringContaining("metrics.operatorTenant must name it"),
  });
  expect(byHeader.refused).toEqual([]);

  await writeFile(join(directory, "tenants.yaml"), "web: 2\n");
  await write({ url: byPath.url, tenancy: "path", tenants: "tenants.yaml", operatorTenant: "1:0" });
  expect([await ask("web"), await ask()]).toEqual(["2", "1"]);
  await writeFile(join(directory, "tenants.yaml"), "web: 2/../1\n");
  await expect(ask("web")).rejects.toMatchObject({ code: "INVALID_CONFIGURATION" });
  expect(withoutFlags(byPath.refused)).toEqual([]);
});
