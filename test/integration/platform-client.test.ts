import "../support/leak-check.ts";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { createLogger, silentLogger } from "../../src/base/log/log.ts";
import { directoryPlane } from "../../src/exporter/policy/plane.ts";
import { PolicyPlans } from "../../src/exporter/policy/policy-plans.ts";
import type { Condition, PolicyStatus } from "../../src/exporter/policy/status/conditions.ts";
import { PolicyStore } from "../../src/exporter/policy/store.ts";
import {
  type ControlPlaneOptions,
  createControlPlane,
  createKubeconfigPlane,
} from "../../src/platform/client/control-plane.ts";
import type { WantedStatus } from "../../src/platform/client/status-writer.ts";
import {
  groupDomain,
  policiesPath,
  projectBase,
  projectsPath,
  startTestPlatform,
  type TestPlatform,
  writeKubeconfig,
} from "../support/plane/platform.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** The exporter's platform client against the platform. */

let platform: TestPlatform;
let bearer: string;
let folder: string;
let tokenFile: string;
const running: (() => Promise<void>)[] = [];

setUpAll(async ({ keep, newFolder }) => {
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  folder = await newFolder("client");
  tokenFile = join(folder, "token");
  await writeFile(tokenFile, `${platform.token}\n`);
  for (const name of ["web", "shop"]) await platform.createProject(name);
});

afterEach(async () => {
  for (const stop of running.splice(0)) await stop();
});

const secrets = (project: string) => `${projectBase(project)}/api/v1/namespaces/default/secrets`;
const merge = { "content-type": "application/merge-patch+json" };

const call = (method: string, path: string, body?: unknown, headers = {}) =>
  platform.fetch(path, { method, bearer, body, headers });

const login = (name: string) => ({
  metadata: { name },
  type: "kubernetes.io/basic-auth",
  stringData: { username: "u", password: "a-password", more: "than-that" },
});

const spec = (metricsql: string) => ({
  sources: [{ name: "cpu", metrics: { metricsql } }],
  sinks: [
    {
      name: "s",
      sources: ["cpu"],
      target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/w" } },
    },
  ],
});

function start(
  store: PolicyStore,
  where: Pick<ControlPlaneOptions, "projects" | "organization">,
  statuses: () => readonly WantedStatus[] = () => [],
  log = silentLogger,
) {
  const controlPlane = createControlPlane({
    ...{ apiUrl: platform.url, groupDomain, accessTokenFile: tokenFile, store, statuses },
    caFile: join(platform.stateDirectory, "platform", "ca.crt"),
    ...{ clock: systemClock, log },
    ...where,
  });
  const stop = new AbortController();
  const ended = controlPlane.service.run(stop.signal);
  running.push(async () => {
    stop.abort();
    await ended;
  });
  return controlPlane;
}

const queries = (store: PolicyStore) =>
  store.policies().map(({ ref, policy }) => `${ref.plane}/${ref.name} ${policy?.sources[0]?.metricsql}`);

test("policies and Secrets of a project, kept in step through changes and a restart", async () => {
  const store = new PolicyStore();
  const controlPlane = start(store, { projects: ["web"] });
  await until("the plane is listed", () => store.hasPlane("web"));
  expect(controlPlane.bearer().state).toBe("valid");
  await call("POST", secrets("web"), login("login"));
  await call("POST", policiesPath("web"), { metadata: { name: "p" }, spec: spec("up") });
  await until(
    "both have come",
    () => store.secret("web", "default", "login") !== undefined && store.policies().length === 1,
  );
  expect(queries(store)).toEqual(["web/p up"]);
  await platform.restart();
  await call("PATCH", `${policiesPath("web")}/p`, { spec: spec("down") }, merge);
  await until("the change has come", () => queries(store)[0] === "web/p down");
  expect(store.policies()[0]?.generation).toBe(2);
  await call("DELETE", `${policiesPath("web")}/p`);
  await until("it is gone", () => store.policies().length === 0);
});

test("of Secrets only credentials are read; one of another type is distinguished from one that is not there", async () => {
  const store = new PolicyStore();
  const opaque = (name: string) => ({
    metadata: { name },
    stringData: { username: "u", password: "opaque" },
  });
  await call("POST", secrets("web"), opaque("unnamed"));
  await call("POST", secrets("web"), opaque("other"));
  start(store, { projects: ["web"] });
  await until("the plane is listed", () => store.hasPlane("web"));
  const [sink] = spec("up").sinks;
  const sinks = ["other", "absent", "late"].map((name) => ({
    ...sink,
    name,
    target: {
      prometheusRemoteWrite: {
        ...sink?.target.prometheusRemoteWrite,
        authentication: { basicAuth: { secretRef: { name } } },
      },
    },
  }));
  const created = await call("POST", policiesPath("web"), {
    metadata: { name: "p" },
    spec: { ...spec("up"), sinks },
  });
  expect(created.code).toBe(201);
  const plans = new PolicyPlans(store);
  const messages = () =>
    [...plans.all()].flatMap(({ plan }) => plan.accepted.map(({ condition }) => condition.message));
  const expectMessages = (...expected: string[]) =>
    until(expected.join(), () => messages().join() === expected.join());
  const another = "secret 'other' is not of type kubernetes.io/basic-auth";
  await expectMessages(another, "secret 'absent' not found", "secret 'late' not found");
  expect(store.secret("web", "default", "unnamed")).toBeUndefined();
  expect(store.secret("web", "default", "other")?.data.size).toBe(0);
  await call("POST", secrets("web"), login("late"));
  await expectMessages(another, "secret 'absent' not found", "The sink is configured.");
  await call("DELETE", `${secrets("web")}/other`);
  await call("POST", secrets("web"), login("other"));
  await expectMessages("The sink is configured.", "secret 'absent' not found", "The sink is configured.");
  for (const name of ["other", "late", "unnamed"]) await call("DELETE", `${secrets("web")}/${name}`);
  await call("DELETE", `${policiesPath("web")}/p`);
});

test("an organization's projects come and go", async () => {
  const store = new PolicyStore();
  await call("POST", policiesPath("shop"), { metadata: { name: "sales" }, spec: spec("sales") });
  start(store, { projects: [], organization: "acme" });
  await until("both projects are listed", () => store.hasPlane("web") && store.hasPlane("shop"));
  expect(queries(store)).toEqual(["shop/sales sales"]);
  await platform.createProject("late");
  await call("POST", policiesPath("late"), { metadata: { name: "p" }, spec: spec("late") });
  await until("the new project's policy has come", () => queries(store).includes("late/p late"));
  await call("DELETE", `${projectsPath}/late`);
  await until("it is gone with its project", () => !store.hasPlane("late"));
  expect(queries(store)).toEqual(["shop/sales sales"]);
});

test("a project with the directory's name never gets the directory's rights", async () => {
  const store = new PolicyStore();
  const lines: string[] = [];
  await platform.createProject(directoryPlane);
  await call("POST", policiesPath(directoryPlane), { metadata: { name: "p" }, spec: spec("up") });
  expect(() => start(store, { projects: [directoryPlane] })).toThrow(/cannot be "directory"/);
  const log = createLogger("error", { write: (line) => lines.push(line) }, false);
  start(store, { projects: [], organization: "acme" }, undefined, log);
  await until("the other projects are listed", () => store.hasPlane("web") && store.hasPlane("shop"));
  expect(JSON.parse(lines[0] ?? "").msg).toContain('its name cannot be "directory"');
  expect(lines).toHaveLength(1);
  expect(store.hasPlane(directoryPlane)).toBe(false);
  await call("DELETE", `${projectsPath}/${directoryPlane}`);
});

const since = { observedGeneration: 1, lastTransitionTime: "2026-11-20T00:00:00Z" };

/** The status of a policy whose sink `s` delivers like this. */
const wantedStatus = (delivering: Pick<Condition, "status" | "reason" | "message">): PolicyStatus => ({
  conditions: [{ type: "Ready", status: "True", reason: "SinksAccepted", message: "m", ...since }],
  sinks: [
    {
      name: "s",
      conditions: [{ type: "Delivering", ...delivering, ...since }],
      checkpoint: "2026-11-20T00:00:01Z",
    },
  ],
});

test("conditions are written back, others' stay, and the echo starts nothing", async () => {
  const store = new PolicyStore();
  const created = await call("POST", policiesPath("web"), { metadata: { name: "status" }, spec: spec("up") });
  const { uid } = created.json.metadata;
  const foreign = {
    ...{ type: "Audited", status: "True", reason: "Seen", message: "" },
    lastTransitionTime: "2026-01-01T00:00:00Z",
  };
  await call("PATCH", `${policiesPath("web")}/status/status`, { status: { conditions: [foreign] } }, merge);
  const wanted = wantedStatus({ status: "True", reason: "UpToDate", message: "Done." });
  let announcements = 0;
  const ref = { plane: "web", namespace: "default", name: "status", uid };
  start(store, { projects: ["web"] }, () => [{ ref, status: wanted }]);
  await until("the plane is listed", () => store.hasPlane("web"));
  store.subscribe(() => announcements++);
  await until("the condition is there", async () => {
    const { json } = await call("GET", `${policiesPath("web")}/status`);
    return json.status.conditions.length === 3;
  });
  const { json } = await call("GET", `${policiesPath("web")}/status`);
  const [ready] = wanted.conditions;
  const [delivering] = wanted.sinks[0]?.conditions ?? [];
  expect(json.status).toEqual({
    ...wanted,
    conditions: [ready, { ...delivering, message: "s: Done." }, foreign],
    lastDeliveredTime: "2026-11-20T00:00:01Z",
  });
  expect(json.metadata.generation).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const later = (await call("GET", `${policiesPath("web")}/status`)).json;
  expect(later.metadata.resourceVersion).toBe(json.metadata.resourceVersion);
  expect(announcements).toBe(0);
});

test("a token that is refused shows, keeps the policies, and heals with a new token in the file", async () => {
  const second = await platform.newToken("alice@example.com");
  await writeFile(tokenFile, "tdp_wrong");
  const store = new PolicyStore();
  const controlPlane = start(store, { projects: ["shop"] });
  await until("the refusal shows", () => controlPlane.bearer().state === "failing");
  expect(controlPlane.bearer().lastError).toMatch(/refuses the access token \(HTTP 403\)/);
  expect(store.hasPlane("shop")).toBe(false);
  await writeFile(tokenFile, second.text);
  await until("the policies are there", () => queries(store).length === 1);
  expect(controlPlane.bearer().state).toBe("valid");
});

test("with a kubeconfig instead, as of any Kubernetes API server that holds the CRD", async () => {
  const kubeconfig = join(folder, "kubeconfig");
  await writeKubeconfig(platform, kubeconfig, projectBase("shop"), bearer);
  const store = new PolicyStore();
  const path = `${policiesPath("shop")}/sales`;
  const { uid } = (await call("GET", path)).json.metadata;
  const ref = { plane: "shop", namespace: "default", name: "sales", uid };
  const status = wantedStatus({ status: "False", reason: "Retrying", message: "HTTP 503" });
  const losses = [{ name: "s", rejected: 7, dropped: 0, skippedSeconds: 60, lastRejection: "HTTP 400" }];
  const statuses = () => [{ ref, status, losses }];
  const common = { groupDomain, store, statuses, clock: systemClock, log: silentLogger };
  const controlPlane = createKubeconfigPlane({ ...common, kubeconfig, project: "shop" });
  const stop = new AbortController();
  const ended = controlPlane.service.run(stop.signal);
  running.push(async () => {
    stop.abort();
    await ended;
  });
  await until("the policies are there", () => queries(store).length === 1);
  const conditions = async () => (await call("GET", path)).json.status?.conditions ?? [];
  await until("the condition is there", async () => (await conditions()).length === 2);
  expect((await conditions())[1]).toMatchObject({
    type: "Delivering",
    status: "False",
    message: "s: HTTP 503",
  });
  const events = async () => {
    const about = `?fieldSelector=involvedObject.uid%3D${uid}`;
    const { json } = await call("GET", `${projectBase("shop")}/api/v1/namespaces/default/events${about}`);
    return json.items.map((event: Record<string, string>) => `${event["reason"]} ${event["message"]}`).sort();
  };
  await until("the events are there", async () => (await events()).length === 3);
  expect(await events()).toEqual([
    "Retrying s: HTTP 503",
    "SamplesRejected s: 7 samples were rejected: HTTP 400",
    "Skipped s: 60 s older than delivery.maxBackfill were skipped",
  ]);
});
