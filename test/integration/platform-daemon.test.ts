import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { findKubectl } from "../../scripts/demo/kubectl.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { createKubectl } from "../support/plane/kubectl.ts";
import {
  policiesPath,
  projectBase,
  projectsPath,
  startTestPlatform,
  type TestPlatform,
  writeKubeconfig,
} from "../support/plane/platform.ts";
import { flushVictoriaMetrics, readVictoriaMetrics, writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/**
 * A daemon that follows an organization of a platform, from a policy to the samples at its receiver and back.
 */

const { signal } = new AbortController();
const tenantLabel = "resourcemanager_platformapis_project_name";
let platform: TestPlatform;
let bearer: string;
let folder: string;
let source: RunningServer;
let receiver: RunningServer;
let daemon: RunningDaemon;

setUpAll(async ({ keep, newFolder, onEnd }) => {
  folder = await newFolder("daemon");
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  source = await keep(startVictoriaMetrics());
  receiver = await keep(startVictoriaMetrics());
  for (const name of ["web", "shop"]) await platform.createProject(name);
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, platform.token);
  daemon = await spawnDaemon({
    directory: folder,
    config: {
      controlPlane: {
        apiUrl: platform.url,
        organization: "acme",
        accessTokenFile: tokenFile,
        caFile: join(platform.stateDirectory, "platform", "ca.crt"),
      },
      metrics: { url: source.url, interval: "1s", delay: "5s", tenantLabel },
      delivery: { startFrom: "1h" },
      egress: { allow: ["127.0.0.0/8"] },
      state: { directory: join(folder, "state") },
    },
  });
  onEnd(() => endDaemon(daemon));
});

const call = (method: string, path: string, body?: unknown) => platform.fetch(path, { method, bearer, body });

const everything = (name: string) => ({
  metadata: { name },
  spec: {
    sources: [{ name: "all", metrics: { metricsql: '{__name__=~".+"}' } }],
    sinks: [
      {
        name: "receiver",
        sources: ["all"],
        target: { prometheusRemoteWrite: { endpoint: `${receiver.url}/api/v1/write` } },
      },
    ],
  },
});

/** Writes one current sample for a tenant, or for none. */
async function sample(metric: string, tenant: string | undefined): Promise<void> {
  const labels = [
    { name: "__name__", value: metric },
    ...(tenant === undefined ? [] : [{ name: tenantLabel, value: tenant }]),
  ];
  await writeToVictoriaMetrics(
    source.url,
    [{ labels, samples: [{ timestampMs: Date.now(), value: 1 }] }],
    signal,
  );
}

async function received(): Promise<string[]> {
  await flushVictoriaMetrics(receiver.url, signal);
  const span = { fromMs: Date.now() - 3_600_000, toMs: Date.now() };
  const matchers = [{ name: "__name__", type: "=~", value: "m_.+" }] as const;
  return [...(await readVictoriaMetrics(receiver.url, { ...span, matchers }, signal)).series.keys()].sort();
}

const series = (metric: string, tenant: string) => `{__name__="${metric}",${tenantLabel}="${tenant}"}`;

test("ready once there is a token, and without it not, with the reason", async () => {
  await until("it is ready", async () => (await fetch(`${daemon.opsUrl}/readyz`)).status === 200);
  const tokenFile = join(folder, "wrong");
  await writeFile(tokenFile, "tdp_wrong");
  const { url: apiUrl, stateDirectory } = platform;
  const caFile = join(stateDirectory, "platform", "ca.crt");
  const other = await spawnDaemon({
    directory: join(folder, "other"),
    config: {
      controlPlane: { apiUrl, projects: ["web"], accessTokenFile: tokenFile, caFile },
      metrics: { url: source.url, tenantLabel },
      state: { directory: join(folder, "other", "state") },
    },
  });
  try {
    await until("the refusal shows", async () => {
      const { degraded } = await other.status(signal);
      return degraded.some((text) => text.includes("refuses the access token (HTTP 403)"));
    });
    const response = await fetch(`${other.opsUrl}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain("no token for the control plane");
  } finally {
    await endDaemon(other);
  }
});

test("a policy that selects everything gets its project's series only, and conditions", async () => {
  await sample("m_web", "web");
  await sample("m_shop", "shop");
  await sample("m_nobody", undefined);
  expect((await call("POST", policiesPath("web"), everything("all"))).code).toBe(201);
  await until("the project's series has come", async () =>
    (await received()).includes(series("m_web", "web")),
  );
  // A later sample shows that the windows of the other samples are over.
  await sample("m_web_later", "web");
  await until("the later one, too", async () => (await received()).includes(series("m_web_later", "web")));
  expect(await received()).toEqual([series("m_web", "web"), series("m_web_later", "web")]);

  await until("the conditions are there", async () => {
    const { json } = await call("GET", `${policiesPath("web")}/all`);
    return json.status?.sinks?.[0]?.conditions?.length === 2;
  });
  const { json } = await call("GET", `${policiesPath("web")}/all`);
  expect(json.metadata.generation).toBe(1);
  expect(json.status.conditions).toMatchObject([
    { type: "Ready", status: "True", reason: "SinksAccepted", observedGeneration: 1 },
    { type: "Delivering", status: "True", observedGeneration: 1 },
  ]);
  expect(json.status.lastDeliveredTime).toBe(json.status.sinks[0].checkpoint);
  expect(json.status.sinks).toMatchObject([
    {
      name: "receiver",
      conditions: [
        { type: "Accepted", status: "True", reason: "SinkConfigured" },
        { type: "Delivering", status: "True" },
      ],
    },
  ]);
  expect(json.spec).toEqual({
    ...everything("all").spec,
    sinks: json.spec.sinks,
  });
});

test("kubectl wait and kubectl get see the conditions", async (context) => {
  const kubectlBinary = findKubectl();
  if (kubectlBinary === undefined) return context.skip("no kubectl here");
  const file = join(folder, "kubeconfig");
  await writeKubeconfig(platform, file, projectBase("web"), bearer);
  const kubectl = createKubectl(kubectlBinary, file, join(folder, "cache"));
  await kubectl.ok("wait", "--for=condition=Ready", "exportpolicy/all", "--timeout=60s");
  expect(await kubectl.ok("get", "exportpolicy", "all", "-o", "yaml")).toContain("reason: SinksAccepted");
});

test("a Secret that is not there is reported in the status, and heals when it comes", async () => {
  const policy = everything("login");
  const [sink] = policy.spec.sinks;
  Object.assign(sink?.target.prometheusRemoteWrite ?? {}, {
    authentication: { basicAuth: { secretRef: { name: "login" } } },
  });
  await call("POST", policiesPath("web"), policy);
  const ready = async () => {
    const { json } = await call("GET", `${policiesPath("web")}/login`);
    return json.status?.conditions?.[0];
  };
  await until("it is refused", async () => (await ready())?.reason === "SinksNotAccepted");
  const { json } = await call("GET", `${policiesPath("web")}/login`);
  expect(json.status.sinks[0].conditions[0]).toMatchObject({
    ...{ type: "Accepted", status: "False", reason: "InvalidAuthentication" },
    message: expect.stringContaining("secret 'login' not found"),
  });
  await call("POST", `${projectBase("web")}/api/v1/namespaces/default/secrets`, {
    metadata: { name: "login" },
    type: "kubernetes.io/basic-auth",
    stringData: { username: "u", password: "p" },
  });
  await until("it is accepted", async () => (await ready())?.status === "True");
  await call("DELETE", `${policiesPath("web")}/login`);
});

test("a project that comes is exported, and one that is deleted ends its exports", async () => {
  await platform.createProject("late");
  await call("POST", policiesPath("late"), everything("all"));
  await sample("m_late", "late");
  await until("the new project's series has come", async () =>
    (await received()).includes(series("m_late", "late")),
  );
  expect((await call("DELETE", `${projectsPath}/late`)).code).toBe(200);
  const planes = async () => (await daemon.status(signal)).policies.map(({ plane }) => plane);
  await until("its policy is gone", async () => !(await planes()).includes("late"));
  await sample("m_late_after", "late");
  await sample("m_web_after", "web");
  await until("the other project goes on", async () =>
    (await received()).includes(series("m_web_after", "web")),
  );
  expect(await received()).not.toContain(series("m_late_after", "late"));
});

test("the platform may be away: exports go on, changes come when it is back", async () => {
  await platform.restart();
  await sample("m_web_restart", "web");
  await until("the export goes on", async () => (await received()).includes(series("m_web_restart", "web")));
  await call("DELETE", `${policiesPath("web")}/all`);
  await until("the change has come", async () => {
    const { policies: known } = await daemon.status(signal);
    return !known.some(({ name }) => name === "all");
  });
});
