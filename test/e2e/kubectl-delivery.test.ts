import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sleep } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { kubectlBinary } from "../support/plane/connected-kubectl.ts";
import { createKubectl, type Kubectl } from "../support/plane/kubectl.ts";
import {
  projectBase,
  startTestPlatform,
  type TestPlatform,
  writeKubeconfig,
} from "../support/plane/platform.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** What kubectl tells about a policy whose receiver goes away and comes back. */

const stop = new AbortController();
let platform: TestPlatform;
let source: RunningServer;
let bearer: string;
let folder: string;

setUpAll(async ({ keep, newFolder, onEnd }) => {
  folder = await newFolder("delivery");
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  source = await keep(startVictoriaMetrics());
  const feeding = feed(stop.signal).catch(() => undefined);
  onEnd(async () => {
    stop.abort();
    await feeding;
  });
});

/** A sample each half second, so that there is always something to deliver. */
async function feed(signal: AbortSignal): Promise<void> {
  const labels = [{ name: "__name__", value: "m" }];
  for (;;) {
    const samples = [{ timestampMs: Date.now(), value: 1 }];
    await writeToVictoriaMetrics(source.url, [{ labels, samples }], signal);
    await sleep(500, signal);
  }
}

const policy = (...receivers: Receiver[]) => ({
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name: "orders" },
  spec: {
    sources: [{ name: "all", metrics: { metricsql: "m" } }],
    sinks: receivers.map(({ url }, index) => ({
      name: index === 0 ? "first" : "second",
      sources: ["all"],
      target: {
        // The second one's trouble is told long before its attempts are used up.
        prometheusRemoteWrite: {
          endpoint: url,
          retry: { maxAttempts: index === 0 ? 1 : 10, backoffDuration: "2s" },
        },
      },
    })),
  },
});

/** How the daemon reaches the project's control plane. */
const accesses: Readonly<Record<string, (project: string, kubeconfig: string) => Promise<object>>> = {
  platform: async (project) => {
    const accessTokenFile = join(folder, "token");
    await writeFile(accessTokenFile, platform.token);
    const caFile = join(platform.stateDirectory, "platform", "ca.crt");
    return { apiUrl: platform.url, projects: [project], accessTokenFile, caFile };
  },
  cluster: async (project, kubeconfig) => ({ kubeconfig, projects: [project] }),
};

describe.runIf(kubectlBinary !== undefined).each(Object.keys(accesses))("a %s", (kind) => {
  const project = `delivery-${kind}`;
  let kubectl: Kubectl;
  let receivers: [Receiver, Receiver];
  const own = new Releasers();

  beforeAll(async () => {
    await platform.createProject(project);
    const kubeconfig = join(folder, `${kind}.json`);
    await writeKubeconfig(platform, kubeconfig, projectBase(project), bearer);
    kubectl = createKubectl(kubectlBinary ?? "kubectl", kubeconfig, join(folder, `cache-${kind}`));
    receivers = [await startReceiver(), await startReceiver()];
    for (const receiver of receivers) own.push(() => receiver[Symbol.asyncDispose]());
    const daemon = await spawnDaemon({
      directory: join(folder, kind),
      config: {
        controlPlane: await accesses[kind]?.(project, kubeconfig),
        metrics: { url: source.url, interval: "1s", delay: "5s", tenantLabel: "" },
        egress: { allow: ["127.0.0.0/8"] },
        state: { directory: join(folder, kind, "state") },
      },
    });
    own.push(() => endDaemon(daemon));
  });
  afterAll(() => own.releaseAll());

  /** The policy's row; cells may hold no spaces. */
  const row = async (...args: string[]) => (await kubectl.ok("get", "exportpolicies", ...args)).split("\n");
  const shows = (line: RegExp, ...args: string[]) =>
    until(`kubectl get shows ${line}`, async () => line.test((await row(...args))[1] ?? ""));
  const delivers = () =>
    until("kubectl wait returns", async () => {
      const args = ["wait", "--for=condition=Delivering", "exportpolicy/orders", "--timeout=10s"];
      return (await kubectl.run(args)).code === 0;
    });
  const describes = (event: RegExp) =>
    until(`kubectl describe shows ${event}`, async () => {
      const [, events = ""] = (await kubectl.ok("describe", "exportpolicy", "orders")).split("\nEvents:");
      return event.test(events);
    });

  test("delivers: kubectl wait returns, and the columns say so", async () => {
    await kubectl.file(policy(...receivers), "apply");
    await delivers();
    const [head, ...rows] = await row();
    expect(head).toMatch(/^NAME +READY +DELIVERING +REASON +LAST DELIVERED +AGE *$/);
    expect(rows[0]).toMatch(/^orders +True +True +(UpToDate|CatchingUp) +[\dmh]+s? +[\dmh]+s? *$/);
    const [wide] = await row("-o", "wide");
    expect(wide).toMatch(/ LAST DELIVERED +AGE +MESSAGE *$/);
    expect(await kubectl.ok("describe", "exportpolicy", "orders")).toMatch(/\nEvents: +<none>/);
  });

  test("a receiver goes away: its sink is named, and there is an event", async () => {
    receivers[1].respond(() => ({ status: 503, body: "closed for today" }));
    await shows(/^orders +True +False +Retrying +/);
    await shows(/ second: .*closed for today/, "-o", "wide");
    await describes(/Warning +Retrying +\S+ .* telemetryd +second: .*503/);
    const waits = ["wait", "--for=condition=Delivering=False", "exportpolicy/orders", "--timeout=10s"];
    expect((await kubectl.run(waits)).code).toBe(0);
  });

  test("it comes back: kubectl wait returns, and there is an event", async () => {
    receivers[1].respond(() => undefined);
    await delivers();
    await shows(/^orders +True +True +/);
    await describes(/Normal +Recovered +\S+ .* telemetryd +second: /);
  });

  // It takes half a minute, and is the same in a cluster.
  if (kind === "platform") {
    test("one that takes requests and never responds: it is reported within seconds", async () => {
      let hangsSinceMs = 0;
      receivers[1].respond(() => {
        hangsSinceMs ||= Date.now();
        return { fault: "hang" };
      });
      await shows(/ second: no response for more than 8 s/, "-o", "wide");
      const path = "{.status.conditions[?(@.type=='Delivering')].lastTransitionTime}";
      const toldAt = await kubectl.ok("get", "exportpolicy", "orders", "-o", `jsonpath=${path}`);
      // Ten seconds, and a few for a slow machine.
      expect(Date.parse(toldAt) - hangsSinceMs).toBeLessThan(15_000);
      receivers[1].respond(() => undefined);
      await delivers();
    });
  }

  test("kubectl wait after an edit waits for what is delivered under it", async () => {
    const gone = await startReceiver();
    await gone[Symbol.asyncDispose]();
    await kubectl.file(policy(receivers[0], gone), "apply");
    const waits = ["wait", "--for=condition=Delivering", "exportpolicy/orders", "--timeout=4s"];
    expect((await kubectl.run(waits)).code).toBe(1);
    await kubectl.file(policy(...receivers), "apply");
    await delivers();
  });

  test("one that refuses samples, then its credentials: the events count", async () => {
    const isEven = (ms: number | bigint) => Math.floor(Number(ms) / 1_000) % 2 === 0;
    receivers[1].respond(({ series }) =>
      series.some(({ samples }) => samples.some(({ timestampMs }) => isEven(timestampMs)))
        ? { status: 400, body: "out of order" }
        : undefined,
    );
    await describes(/Warning +SamplesRejected +\S+ .* telemetryd +second: \d+ samples were rejected: .*400/);
    receivers[1].respond(() => ({ status: 503 }));
    await describes(/Warning +Retrying +\S+ \(x[2-9] over \S+\) +telemetryd/);
    receivers[1].respond(() => ({ status: 401 }));
    await shows(/^orders +True +False +Suspended +/);
    await describes(/Warning +Suspended +\S+ .* telemetryd +second: .*401/);
    // Without the sink that fails, the policy delivers.
    await kubectl.file(policy(receivers[0]), "apply");
    await delivers();
  });

  test("a token and a tenant's header come from a Secret of any type, and are rotated", async () => {
    const secret = (token: string, ...args: string[]) =>
      kubectl.ok("create", "secret", "generic", "mimir", `--from-literal=token=${token}`, ...args);
    const taken = { authorization: "Bearer first-token", tenant: "orders" };
    receivers[0].respond(({ headers }) =>
      headers.authorization === taken.authorization && headers["x-scope-orgid"] === taken.tenant
        ? undefined
        : { status: 401, body: "no such token" },
    );
    await secret("first-token", "--from-literal=tenant=orders");
    const { spec, ...others } = policy(receivers[0]);
    const authentication = { bearer: { secretRef: { name: "mimir" } } };
    const secretKeyRef = { name: "mimir", key: "tenant" };
    const headers = [{ name: "X-Scope-OrgID", valueFrom: { secretKeyRef } }];
    for (const { target } of spec.sinks)
      Object.assign(target.prometheusRemoteWrite, { authentication, headers });
    await kubectl.file({ ...others, spec }, "apply");
    await delivers();
    expect(receivers[0].requests.at(-1)?.headers).toMatchObject({ "x-scope-orgid": "orders" });
    if (kind === "platform") {
      taken.authorization = "Bearer second-token";
      await shows(/^orders +True +False +Suspended +/);
      const data = { token: Buffer.from("second-token").toString("base64") };
      await kubectl.ok("patch", "secret", "mimir", "-p", JSON.stringify({ data }));
      await shows(/^orders +True +True +/);
    }
    receivers[0].respond(() => undefined);
  });

  test("a policy whose Secret is missing shows that in its columns", async () => {
    const { spec, ...others } = policy(receivers[0]);
    const authentication = { basicAuth: { secretRef: { name: "login" } } };
    for (const { target } of spec.sinks) Object.assign(target.prometheusRemoteWrite, { authentication });
    await kubectl.file({ ...others, spec }, "apply");
    await shows(/^orders +False +False +InvalidAuthentication +/);
    await shows(/ first: secret 'login' not found/, "-o", "wide");
  });
});
