import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ipaddr from "ipaddr.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import { openApi } from "../../../src/platform/client/api/api-access.ts";
import { conditionOf } from "../../../src/platform/provider/plane/conditions.ts";
import { createProvider } from "../../../src/platform/provider/provider.ts";
import type { Runtime } from "../../../src/platform/provider/runtime/runtime.ts";
import {
  type FetchOptions,
  groupDomain,
  organizationBase,
  projectBase,
  startTestPlatform,
  type TestPlatform,
} from "../plane/platform.ts";
import { until } from "../until.ts";

/** What a provider is played against with. */
export interface ProviderFixture extends AsyncDisposable {
  /** Called for each start of the provider, which closes it. */
  openRuntime(): Runtime;
  /** An image that it can run. */
  readonly image: string;
  /** Of the network; absent: the platform's choice. */
  readonly ipv4Range?: string;
}

type Json = Record<string, unknown>;

/** The contract of docs/providers.md, against the real server. */
export function providerContract(name: string, open: () => Promise<ProviderFixture>): void {
  describe(name, () => {
    let platform: TestPlatform;
    let fixture: ProviderFixture;
    let runtime: Runtime;
    let bearer: string;
    let directory: string;
    let start: () => Promise<() => Promise<void>>;
    let stop: () => Promise<void>;

    const base = projectBase("shop");
    const networking = `${base}/apis/networking.${groupDomain}/v1alpha/namespaces/default`;
    const compute = `${base}/apis/compute.${groupDomain}/v1alpha/namespaces/default`;
    const ask = async (path: string, options: FetchOptions = {}) =>
      await platform.fetch(path, { bearer, ...options });
    const create = async (path: string, body: Json) => {
      const { code, text } = await ask(path, { method: "POST", body });
      expect(code, text).toBe(201);
    };
    const reason = async (path: string, type: string) =>
      conditionOf((await ask(path)).json, type)?.["reason"];
    const inventory = () => runtime.inventory(new AbortController().signal);

    beforeAll(async () => {
      [platform, fixture] = await Promise.all([startTestPlatform(), open()]);
      bearer = await platform.exchange(platform.token);
      directory = await mkdtemp(join(tmpdir(), "telemetryd-provider-"));
      const accessTokenFile = join(directory, "token");
      await writeFile(accessTokenFile, platform.providerToken);
      const ca = await readFile(join(platform.stateDirectory, "platform", "ca.crt"), "utf8");
      start = async () => {
        runtime = fixture.openRuntime();
        const parts = { clock: systemClock, log: silentLogger, random: () => 0 };
        const access = openApi({ apiUrl: platform.url, groupDomain, accessTokenFile, ca, ...parts });
        const { service } = createProvider({
          planes: {
            kind: "organization",
            organization: "acme",
            client: access.client("organizations", "acme"),
            projectClient: (project) => access.client("projects", project),
          },
          ...{ provider: "provider-1", groupDomain, cloudProjectId: "local", zones: [] },
          ...{ runtime, ...parts },
        });
        const abort = new AbortController();
        const ended = service.run(abort.signal);
        return async () => {
          abort.abort();
          await ended;
          await access.close();
        };
      };
      const projects = `${organizationBase("acme")}/apis/resourcemanager.${groupDomain}/v1alpha/projects`;
      const project = { apiVersion: `resourcemanager.${groupDomain}/v1alpha`, kind: "Project" };
      await create(projects, { ...project, metadata: { name: "shop" }, spec: {} });
      await until(
        "the project answers",
        async () => (await ask(`${base}/api/v1/namespaces/default`)).code === 200,
      );
      stop = await start();
    }, 120_000);

    afterAll(async () => {
      await stop?.();
      await fixture?.[Symbol.asyncDispose]();
      await platform?.stop();
      await rm(directory, { recursive: true, force: true });
    }, 120_000);

    test("a workload runs, survives a restart of the provider, and goes without a trace", async () => {
      await create(`${networking}/locations`, {
        apiVersion: `networking.${groupDomain}/v1alpha`,
        kind: "Location",
        metadata: { name: "dfw" },
        spec: {
          locationClassName: "platform-managed",
          topology: { "topology.platform/city-code": "DFW" },
          provider: { cloudA: { projectId: "local", region: "us", zone: "us-a" } },
        },
      });
      const ready = async () => conditionOf((await ask(`${networking}/locations/dfw`)).json, "Ready");
      await until("the location is ready", async () => (await ready())?.["status"] === "True");
      await create(`${networking}/networks`, {
        apiVersion: `networking.${groupDomain}/v1alpha`,
        kind: "Network",
        metadata: { name: "default" },
        spec: {
          ipam: {
            mode: "Auto",
            ...(fixture.ipv4Range === undefined ? {} : { ipv4Ranges: [fixture.ipv4Range] }),
          },
          // Blocks of IPv6 are not random: two runs on a machine would have the same.
          ipFamilies: fixture.ipv4Range === undefined ? ["IPv4", "IPv6"] : ["IPv4"],
        },
      });
      await create(`${compute}/workloads`, {
        apiVersion: `compute.${groupDomain}/v1alpha`,
        kind: "Workload",
        metadata: { name: "w" },
        spec: {
          template: {
            spec: {
              runtime: {
                resources: { instanceType: "platformcloud/d1-standard-2" },
                sandbox: { containers: [{ name: "app", image: fixture.image }] },
              },
              networkInterfaces: [{ network: { name: "default" } }],
            },
          },
          placements: [{ name: "us", cityCodes: ["DFW"], scaleSettings: { minReplicas: 2 } }],
        },
      });
      for (const instance of ["w-us-dfw-0", "w-us-dfw-1"]) {
        const path = `${compute}/instances/${instance}`;
        await until(
          `${instance} runs`,
          async () => (await reason(path, "Available")) === "InstanceIsRunning",
        );
      }
      expect((await inventory()).instances).toHaveLength(2);
      const before = (await ask(`${compute}/instances/w-us-dfw-0`)).json;
      const { networkIP } = before.status.networkInterfaces[0].assignments;
      expect(ipaddr.parse(networkIP).match(ipaddr.parseCIDR(fixture.ipv4Range ?? "10.128.0.0/9"))).toBe(true);
      const deployment = `${compute}/workloaddeployments/w-us-dfw`;
      await until(
        "the deployment is stable",
        async () => (await reason(deployment, "Available")) === "StableInstanceFound",
      );

      await stop();
      stop = await start();
      await ask(`${compute}/workloads/w`, { method: "DELETE" });
      await until("the workload is gone", async () => (await ask(`${compute}/workloads/w`)).code === 404);
      expect((await inventory()).instances).toEqual([]);
      await ask(`${networking}/networks/default`, { method: "DELETE" });
      await until(
        "the network is gone",
        async () => (await ask(`${networking}/networks/default`)).code === 404,
      );
      expect(await inventory()).toEqual({ instances: [], networks: [] });
    }, 240_000);
  });
}
