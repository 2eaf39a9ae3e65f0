import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { createOwnClient } from "../../scripts/demo/own-client.ts";
import type { PlaneHand } from "../../scripts/demo/plane-hand.ts";
import { isRunning } from "../../scripts/servers/process-table.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { freePort, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/**
 * One daemon with every configuration section, which follows the platform that it hosts, with its own Redis.
 */

const { signal } = new AbortController();
const run = promisify(execFile);
let folder: string;
let configFile: string;
let config: Record<string, unknown>;
let apiUrl: string;
let websiteUrl: string;
let token: string;
let daemon: RunningDaemon;

setUpAll(async ({ keep, newFolder }) => {
  await ensureBuilt(signal, () => undefined);
  folder = await newFolder("whole");
  const store = await keep(startVictoriaMetrics());
  const [apiPort, platformPort] = [await freePort(), await freePort()];
  apiUrl = `https://127.0.0.1:${platformPort}`;
  websiteUrl = `http://127.0.0.1:${apiPort}`;
  const item = { number: 1, title: "T", url: "https://example.com/1", labels: [], status: "Planned" };
  await writeFile(join(folder, "backlog.json"), JSON.stringify({ items: [item] }));
  await writeFile(join(folder, "policy.yaml"), policy);
  await writeFile(join(folder, "project.yaml"), project);
  config = {
    platform: { listen: `127.0.0.1:${platformPort}` },
    metrics: { url: store.url, tenantLabel: "project" },
    roadmap: { file: join(folder, "backlog.json") },
    api: { listen: `127.0.0.1:${apiPort}` },
    state: { directory: join(folder, "state") },
    delivery: { shutdownTimeout: "15s" },
  };
  configFile = join(folder, "telemetryd.yaml");
});

const project = "kind: Project\napiVersion: resourcemanager.platformapis/v1alpha\nmetadata: { name: web }\n";
const policy = `kind: ExportPolicy
apiVersion: telemetry.platformapis/v1alpha1
metadata: { name: all }
spec:
  sources: [{ name: all, metrics: { metricsql: up } }]
  sinks: [{ name: s, sources: [all], target: { prometheusRemoteWrite: { endpoint: "http://192.0.2.1/w" } } }]
`;

/** Runs the program with these arguments; rejects unless its exit status is 0. */
const telemetryd = async (...args: string[]): Promise<string> =>
  (await run(process.execPath, [builtCli, ...args, "--config", configFile])).stdout;

async function start(): Promise<void> {
  daemon = await spawnDaemon({ directory: folder, config });
  await until("it is ready", async () => (await fetch(`${daemon.opsUrl}/readyz`)).status === 200);
}

async function hand(kind: "organization" | "project", name: string): Promise<PlaneHand> {
  const kubeconfig = join(folder, `${name}.kubeconfig`);
  await writeFile(
    kubeconfig,
    await telemetryd("kubeconfig", `--${kind}`, name, "--token-file", join(folder, "token")),
  );
  return createOwnClient({ kubeconfig, apiUrl, accessToken: token });
}

const redisPid = async () => Number(await readFile(join(folder, "state", "redis", "redis.pid"), "utf8"));
const exportsOfWeb = async () =>
  (await daemon.status(signal)).policies.filter(({ plane }) => plane === "web").map(({ name }) => name);

test("the first start: organization, member and token before any daemon, then all sections", async () => {
  await writeFile(configFile, JSON.stringify(config));
  expect(await telemetryd("organization", "create", "acme")).toBe("organization acme created\n");
  await telemetryd("organization", "add-member", "acme", "--user", "alice");
  const printed = await telemetryd("token", "create", "--user", "alice");
  expect(printed).toMatch(/^tdp_\S+\n$/);
  token = printed.trim();
  await writeFile(join(folder, "token"), printed);
  const controlPlane = { apiUrl, organization: "acme", accessTokenFile: join(folder, "token") };
  config = { ...config, controlPlane };
  await start();
  const operator = await hand("organization", "acme");
  await operator.apply(join(folder, "project.yaml"), signal);
  await operator.waitFor("Ready", "project/web", signal);
  const user = await hand("project", "web");
  await user.apply(join(folder, "policy.yaml"), signal);
  await user.waitFor("Ready", "exportpolicy/all", signal);
  expect(await exportsOfWeb()).toEqual(["all"]);
  await until("the roadmap is there", async () => {
    const status = (await (await fetch(`${websiteUrl}/api/v1/roadmap/backlog-meta`)).json()) as object;
    return "updatedAt" in status && status.updatedAt !== null;
  });
});

test("kubectl's plug-in and the commands work beside the running daemon", async () => {
  const kubeconfig = await readFile(join(folder, "web.kubeconfig"), "utf8");
  expect(kubeconfig).not.toContain(token);
  const authority = /certificate-authority-data: (\S+)/.exec(kubeconfig)?.[1];
  const apiVersion = "client.authentication.k8s.io/v1";
  const execInfo = { apiVersion, spec: { cluster: { "certificate-authority-data": authority } } };
  const args = [builtCli, "credentials", "--api-url", apiUrl, "--token-file", join(folder, "token")];
  const { stdout } = await run(process.execPath, args, {
    env: { ...process.env, KUBERNETES_EXEC_INFO: JSON.stringify(execInfo) },
  });
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ apiVersion, kind: "ExecCredential" },
    status: { token: expect.stringMatching(/^\S+\.\S+\.\S+$/) },
  });
  expect(await telemetryd("token", "list")).toMatch(/alice/);
  expect(await redisPid()).toBeGreaterThan(0);
});

test("kill -9: the next daemon takes the private Redis over and goes on with everything", async () => {
  const before = await redisPid();
  await daemon.child.kill();
  expect(isRunning(before)).toBe(true);
  await start();
  expect(await redisPid()).toBe(before);
  expect(daemon.child.log()).toContain("took over the private redis-server");
  await until("the project's policy runs again", async () => (await exportsOfWeb()).length === 1);
  expect((await fetch(`${websiteUrl}/roadmap`)).status).toBe(200);
});

test("SIGHUP: a new configuration takes effect; one with a fault changes nothing", async () => {
  const pid = daemon.child.pid;
  await writeFile(configFile, JSON.stringify({ ...config, roadmap: { fil: "x" } }));
  daemon.child.signal("SIGHUP");
  await until("the fault is told", () => daemon.child.log().includes("the old one stays in effect"));
  const { api: _api, roadmap: _roadmap, ...rest } = config;
  await writeFile(configFile, JSON.stringify(rest));
  daemon.child.signal("SIGHUP");
  await until("the website API is gone", async () =>
    fetch(`${websiteUrl}/roadmap`).then(
      () => false,
      () => true,
    ),
  );
  await until("it is ready", async () => (await fetch(`${daemon.opsUrl}/readyz`)).status === 200);
  await until("the project's policy runs again", async () => (await exportsOfWeb()).length === 1);
  expect(daemon.child.pid).toBe(pid);
});

test("SIGTERM: exit status 0 in time, and no Redis left", async () => {
  const redis = await redisPid();
  const startMs = performance.now();
  await endDaemon(daemon);
  expect(performance.now() - startMs).toBeLessThan(15_000);
  expect(isRunning(redis)).toBe(false);
});
